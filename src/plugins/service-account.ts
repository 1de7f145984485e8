// ServiceAccount: sets the service account of a pod, mounts its token unless that is disabled, and adds its image pull secrets (W-450
// to W-453).
import { mapsOnly, textOrEmpty } from '../api/members.ts'
import { annotationsOf, metaText, specOf, withSpec } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { own, type Value, type ValueMap } from '../api/value.ts'
import type { Clock } from '../lib/clock.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import { pause } from '../lib/pause.ts'
import { nameSuffix, type Random } from '../lib/random.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts'
import type { ObjectReader } from '../admission/object-reader.ts'
import { isMirror, secretRefusal, secretsOf, usesTokens } from './pod-secrets.ts'
import { forbidden } from '../admission/refusal.ts'

const DEFAULT_NAME = 'default'
const VOLUME_PREFIX = 'kube-api-access-'
const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount'
/** One hour, and a few seconds to tell it from a lifetime that a user chose. */
const TOKEN_SECONDS = 3607

/** The default account is created shortly after its namespace. */
const DEFAULT_ATTEMPTS = 10
const RETRY_MS = 100

/** `clock`: by which a request waits. */
export function serviceAccount(accounts: ObjectReader, clock: Clock, random: Random): AdmissionPlugin {
  const find = (request: AdmissionRequest, name: string, signal: AbortSignal): MaybePromise<ApiObject> =>
    whenKnown(accounts.find(request.namespace, name, signal), (cached) => cached ?? findStored(request, name, signal))
  const findStored = async (request: AdmissionRequest, name: string, signal: AbortSignal): Promise<ApiObject> => {
    const { namespace } = request
    const attempts = name === DEFAULT_NAME ? DEFAULT_ATTEMPTS : 1
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const found = await accounts.findLatest(namespace, name, signal)
      if (found !== undefined) return found
      if (attempt < attempts && !(await pause(clock, RETRY_MS + random.below(RETRY_MS), signal))) break
    }
    const why = `error looking up service account ${namespace}/${name}: serviceaccount ${JSON.stringify(name)} not found`
    throw forbidden(request, why)
  }
  const check = (request: AdmissionRequest, signal: AbortSignal): MaybePromise<void> => {
    if (!isChecked(request)) return undefined
    const pod = request.object!
    const isNew = request.operation === 'CREATE'
    if (isNew && isMirror(pod)) return checkMirror(request, pod)
    const name = textOrEmpty(specOf(pod), 'serviceAccountName')
    if (name === '') {
      if (!isNew) return undefined
      throw forbidden(request, `no service account specified for pod ${request.namespace}/${metaText(pod, 'name')}`)
    }
    return whenKnown(find(request, name, signal), (account) => {
      if (!enforcesSecrets(account)) return
      const refusal = secretRefusal(pod, account, isNew ? ['initContainers', 'containers'] : ['ephemeralContainers'])
      if (refusal !== undefined) throw forbidden(request, refusal)
    })
  }
  return {
    name: 'ServiceAccount',
    resources: ['pods'],
    operations: ['CREATE', 'UPDATE'],
    mutate(request, signal) {
      const pod = request.object
      if (pod === undefined || request.operation !== 'CREATE' || request.subresource !== '' || isMirror(pod)) {
        return whenKnown(check(request, signal), () => pod)
      }
      const named = withAccount(pod)
      return whenKnown(find(request, textOrEmpty(specOf(named), 'serviceAccountName'), signal), (account) => {
        const mounted = wantsToken(account, named) ? withToken(named, random) : named
        const object = withPullSecrets(mounted, account)
        return enforcesSecrets(account) ? whenKnown(check({ ...request, object }, signal), () => object) : object
      })
    },
    validate: check,
  }
}

function isChecked({ object, operation, subresource }: AdmissionRequest): boolean {
  if (object === undefined) return false
  return operation === 'CREATE' ? subresource === '' : subresource === 'ephemeralcontainers'
}

function checkMirror(request: AdmissionRequest, pod: ApiObject): void {
  if (textOrEmpty(specOf(pod), 'serviceAccountName') !== '') {
    throw forbidden(request, 'a mirror pod may not reference service accounts')
  }
  if (secretsOf(pod).length > 0) throw forbidden(request, 'a mirror pod may not reference secrets')
  if (usesTokens(pod)) throw forbidden(request, 'a mirror pod may not use ServiceAccountToken volume projections')
}

function withAccount(pod: ApiObject): ApiObject {
  const name = textOrEmpty(specOf(pod), 'serviceAccountName')
  // `serviceAccount` is the deprecated alias.
  return name === '' ? withSpec(pod, { serviceAccountName: DEFAULT_NAME, serviceAccount: DEFAULT_NAME }) : pod
}

function enforcesSecrets(account: ApiObject): boolean {
  return ['1', 't', 'T', 'true', 'TRUE', 'True'].includes(
    textOrEmpty(annotationsOf(account), 'kubernetes.io/enforce-mountable-secrets'),
  )
}

/** The pod takes precedence over the account. */
function wantsToken(account: ApiObject, pod: ApiObject): boolean {
  const wish = own(specOf(pod), 'automountServiceAccountToken') ?? own(account, 'automountServiceAccountToken')
  return wish !== false
}

function withToken(pod: ApiObject, random: Random): ApiObject {
  const spec = specOf(pod)
  const volumes = mapsOnly(spec, 'volumes')
  const existing = volumes.find((volume) => textOrEmpty(volume, 'name').startsWith(VOLUME_PREFIX))
  const name = existing === undefined ? VOLUME_PREFIX + nameSuffix(random) : textOrEmpty(existing, 'name')
  const changed: Record<string, Value> = {}
  for (const list of ['initContainers', 'containers'] as const) {
    const containers = mapsOnly(spec, list)
    if (containers.some(lacksMount)) {
      changed[list] = containers.map((container) => (lacksMount(container) ? withMount(container, name) : container))
    }
  }
  if (Object.keys(changed).length === 0) return pod
  return withSpec(pod, existing === undefined ? { ...changed, volumes: [...volumes, tokenVolume(name)] } : changed)
}

function lacksMount(container: ValueMap): boolean {
  return !mapsOnly(container, 'volumeMounts').some((mount) => textOrEmpty(mount, 'mountPath') === MOUNT_PATH)
}

function withMount(container: ValueMap, name: string): ValueMap {
  const mount = { name, readOnly: true, mountPath: MOUNT_PATH }
  return { ...container, volumeMounts: [...mapsOnly(container, 'volumeMounts'), mount] }
}

function tokenVolume(name: string): ValueMap {
  const namespace = { path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        { downwardAPI: { items: [namespace] } },
      ],
      defaultMode: 0o644,
    },
  }
}

function withPullSecrets(pod: ApiObject, account: ApiObject): ApiObject {
  if (mapsOnly(specOf(pod), 'imagePullSecrets').length > 0) return pod
  const secrets = mapsOnly(account, 'imagePullSecrets')
  return secrets.length === 0 ? pod : withSpec(pod, { imagePullSecrets: secrets })
}
