// The secrets that a pod references, in all containers and volumes. A missed reference would bypass the mountable secrets of the
// service account (CVE-2023-2728, CVE-2024-3177).
import { mapOrAbsent, mapOrEmpty, mapsInPlace, mapsOnly, textOrEmpty } from '../api/members.ts'
import { annotationsOf, metaText, specOf } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { CONTAINER_LISTS } from '../api/pod-containers.ts'
import { own, type ValueMap } from '../api/value.ts'

/** A mirror pod of a static pod. */
export function isMirror(pod: ApiObject): boolean {
  return own(annotationsOf(pod), 'kubernetes.io/config.mirror') !== undefined
}

/** The members of a volume that name a secret, and where in them. */
const VOLUME_SECRETS: readonly (readonly [source: string, member: string, name: string])[] = [
  ['azureFile', '', 'secretName'],
  ['cephfs', 'secretRef', 'name'],
  ['cinder', 'secretRef', 'name'],
  ['flexVolume', 'secretRef', 'name'],
  ['rbd', 'secretRef', 'name'],
  ['secret', '', 'secretName'],
  ['scaleIO', 'secretRef', 'name'],
  ['iscsi', 'secretRef', 'name'],
  ['storageos', 'secretRef', 'name'],
  ['csi', 'nodePublishSecretRef', 'name'],
]

/** The names of all secrets that the pod refers to; empty names left out. */
export function secretsOf(pod: ApiObject): readonly string[] {
  const spec = specOf(pod)
  const containers = CONTAINER_LISTS.flatMap((list) => mapsOnly(spec, list))
  return [
    ...mapsOnly(spec, 'imagePullSecrets').map((secret) => textOrEmpty(secret, 'name')),
    ...containers
      .flatMap((container) => [...secretsInSources(container), ...secretsInVariables(container)])
      .map(({ secret }) => secret),
    ...mapsOnly(spec, 'volumes').flatMap(secretsInVolume),
  ].filter((name) => name !== '')
}

function secretsInVolume(volume: ValueMap): readonly string[] {
  const named = VOLUME_SECRETS.flatMap(([source, member, name]) => {
    const part = mapOrAbsent(volume, source)
    return part === undefined ? [] : [textOrEmpty(member === '' ? part : mapOrEmpty(part, member), name)]
  })
  const projected = mapsOnly(mapOrEmpty(volume, 'projected'), 'sources').map((source) =>
    textOrEmpty(mapOrEmpty(source, 'secret'), 'name'),
  )
  return [...named, ...projected]
}

/** Whether a volume asks for a token of the account. */
export function usesTokens(pod: ApiObject): boolean {
  return mapsOnly(specOf(pod), 'volumes').some((volume) =>
    mapsOnly(mapOrEmpty(volume, 'projected'), 'sources').some(
      (source) => mapOrAbsent(source, 'serviceAccountToken') !== undefined,
    ),
  )
}

interface SecretUse {
  readonly variable: string
  readonly secret: string
}

function secretsInVariables(container: ValueMap): readonly SecretUse[] {
  return mapsOnly(container, 'env').flatMap((variable) =>
    useOf(textOrEmpty(variable, 'name'), mapOrAbsent(mapOrEmpty(variable, 'valueFrom'), 'secretKeyRef')),
  )
}

function secretsInSources(container: ValueMap): readonly SecretUse[] {
  return mapsOnly(container, 'envFrom').flatMap((source) => useOf('', mapOrAbsent(source, 'secretRef')))
}

function useOf(variable: string, reference: ValueMap | undefined): readonly SecretUse[] {
  return reference === undefined ? [] : [{ variable, secret: textOrEmpty(reference, 'name') }]
}

type ContainerList = (typeof CONTAINER_LISTS)[number]

const CONTAINER_WORDS: Readonly<Record<ContainerList, string>> = {
  initContainers: 'init container',
  containers: 'container',
  ephemeralContainers: 'ephemeral container',
}

/** Why the pod is refused where it uses a secret that its account does not list. */
export function secretRefusal(pod: ApiObject, account: ApiObject, lists: readonly ContainerList[]): string | undefined {
  const spec = specOf(pod)
  const allowed = new Set(mapsOnly(account, 'secrets').map((secret) => textOrEmpty(secret, 'name')))
  const end = `is not allowed because service account ${metaText(account, 'name')} does not reference that secret`
  const isWhole = lists.includes('containers')
  const volumes = isWhole ? mapsOnly(spec, 'volumes') : []
  for (const volume of volumes) {
    const secret = mapOrAbsent(volume, 'secret')
    const name = secret === undefined ? undefined : textOrEmpty(secret, 'secretName')
    if (name !== undefined && !allowed.has(name)) return `volume with secret.secretName="${name}" ${end}`
  }
  for (const list of lists) {
    for (const container of mapsOnly(spec, list)) {
      const who = `${CONTAINER_WORDS[list]} ${textOrEmpty(container, 'name')}`
      const variable = secretsInVariables(container).find(({ secret }) => !allowed.has(secret))
      if (variable !== undefined) {
        return `${who} with envVar ${variable.variable} referencing secret.secretName="${variable.secret}" ${end}`
      }
      const source = secretsInSources(container).find(({ secret }) => !allowed.has(secret))
      if (source !== undefined) return `${who} with envFrom referencing secret.secretName="${source.secret}" ${end}`
    }
  }
  return isWhole ? pullSecretRefusal(spec, account) : undefined
}

function pullSecretRefusal(spec: ValueMap, account: ApiObject): string | undefined {
  const allowed = new Set(mapsOnly(account, 'imagePullSecrets').map((secret) => textOrEmpty(secret, 'name')))
  const secrets = mapsInPlace(spec, 'imagePullSecrets').map((secret) => textOrEmpty(secret, 'name'))
  const index = secrets.findIndex((name) => !allowed.has(name))
  if (index < 0) return undefined
  const who = metaText(account, 'name')
  return `imagePullSecrets[${index}].name="${secrets[index]}" is not allowed because service account ${who} does not reference that imagePullSecret`
}
