// The secrets that a pod references, in all containers and volumes. A missed reference would bypass the mountable secrets of the
// service account (CVE-2023-2728, CVE-2024-3177).
import type { Container, Pod, PodSpec, ServiceAccount, Volume } from '../api/gen/kinds.ts'
import { annotationsOf } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { type CONTAINER_LISTS, containersOf } from '../api/pod-containers.ts'
import { own } from '../api/value.ts'

/** Whether the pod is the mirror pod of a static pod. */
export function isMirror(pod: ApiObject): boolean {
  return own(annotationsOf(pod), 'kubernetes.io/config.mirror') !== undefined
}

/** The names of all secrets that the pod refers to. Empty names are left out. */
export function secretsOf({ spec }: Pod): readonly string[] {
  return [
    ...(spec.imagePullSecrets ?? []).map(({ name }) => name),
    ...containersOf(spec)
      .flatMap((container) => [...secretsInSources(container), ...secretsInVariables(container)])
      .map(({ secret }) => secret),
    ...(spec.volumes ?? []).flatMap(secretsInVolume),
  ].flatMap((name) => name || [])
}

function secretsInVolume(volume: Volume): readonly (string | undefined)[] {
  return [
    volume.azureFile?.secretName,
    volume.cephfs?.secretRef?.name,
    volume.cinder?.secretRef?.name,
    volume.flexVolume?.secretRef?.name,
    volume.rbd?.secretRef?.name,
    volume.secret?.secretName,
    volume.scaleIO?.secretRef?.name,
    volume.iscsi?.secretRef?.name,
    volume.storageos?.secretRef?.name,
    volume.csi?.nodePublishSecretRef?.name,
    ...(volume.projected?.sources ?? []).map(({ secret }) => secret?.name),
  ]
}

/** Whether a volume requests a token of the account. */
export function usesTokens({ spec: { volumes = [] } }: Pod): boolean {
  return volumes.some(({ projected }) => projected?.sources?.some((source) => source.serviceAccountToken !== undefined))
}

interface SecretUse {
  readonly variable: string
  readonly secret: string
}

function secretsInVariables({ env = [] }: Container): readonly SecretUse[] {
  return env.flatMap(({ name, valueFrom }) => useOf(name, valueFrom?.secretKeyRef))
}

function secretsInSources({ envFrom = [] }: Container): readonly SecretUse[] {
  return envFrom.flatMap(({ secretRef }) => useOf('', secretRef))
}

function useOf(variable: string, reference: { readonly name?: string } | undefined): readonly SecretUse[] {
  return reference === undefined ? [] : [{ variable, secret: reference.name ?? '' }]
}

type ContainerList = (typeof CONTAINER_LISTS)[number]

const CONTAINER_WORDS: Readonly<Record<ContainerList, string>> = {
  initContainers: 'init container',
  containers: 'container',
  ephemeralContainers: 'ephemeral container',
}

/** The reason why the pod is refused: it uses a secret that its account does not list. Undefined: the pod is allowed. */
export function secretRefusal(
  { spec }: Pod,
  account: ServiceAccount,
  lists: readonly ContainerList[],
): string | undefined {
  const allowed = new Set(account.secrets?.map(({ name = '' }) => name))
  const end = `is not allowed because service account ${account.metadata.name ?? ''} does not reference that secret`
  const isWhole = lists.includes('containers')
  const volumes = (isWhole ? spec.volumes : undefined) ?? []
  for (const { secret } of volumes) {
    const { secretName = '' } = secret ?? {}
    if (secret !== undefined && !allowed.has(secretName)) {
      return `volume with secret.secretName="${secretName}" ${end}`
    }
  }
  for (const list of lists) {
    for (const container of spec[list] ?? []) {
      const who = `${CONTAINER_WORDS[list]} ${container.name}`
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

function pullSecretRefusal({ imagePullSecrets = [] }: PodSpec, account: ServiceAccount): string | undefined {
  const allowed = new Set(account.imagePullSecrets?.map(({ name = '' }) => name))
  const index = imagePullSecrets.findIndex(({ name = '' }) => !allowed.has(name))
  if (index < 0) return undefined
  const who = account.metadata.name ?? ''
  const { name = '' } = imagePullSecrets[index]!
  return `imagePullSecrets[${index}].name="${name}" is not allowed because service account ${who} does not reference that imagePullSecret`
}
