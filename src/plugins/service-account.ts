// ServiceAccount: sets the service account of a pod, mounts its token unless that is disabled, and adds its image pull secrets (W-450
// to W-453).
import type { Container, Pod, PodSpec, ServiceAccount, Volume } from '../api/gen/kinds.ts'
import { isKind } from '../api/kind-guard.ts'
import { annotationsOf, withSpec } from '../api/object-members.ts'
import { own } from '../api/value.ts'
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
/** One hour and a few seconds. The seconds tell this lifetime from a lifetime that a user chose. */
const TOKEN_SECONDS = 3607

/** The default account is created shortly after its namespace. */
const DEFAULT_ATTEMPTS = 10
const RETRY_MS = 100

/** `clock`: the clock of waiting requests. */
export function serviceAccount(accounts: ObjectReader<ServiceAccount>, clock: Clock, random: Random): AdmissionPlugin {
  const find = (request: AdmissionRequest, name: string, signal: AbortSignal): MaybePromise<ServiceAccount> =>
    whenKnown(accounts.find(request.namespace, name, signal), (cached) => cached ?? findStored(request, name, signal))
  const findStored = async (request: AdmissionRequest, name: string, signal: AbortSignal): Promise<ServiceAccount> => {
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
    const pod = checkedPod(request)
    if (pod === undefined) return undefined
    const isNew = request.operation === 'CREATE'
    if (isNew && isMirror(pod)) return checkMirror(request, pod)
    const { serviceAccountName: name = '' } = pod.spec
    if (name === '') {
      if (!isNew) return undefined
      throw forbidden(request, `no service account specified for pod ${request.namespace}/${pod.metadata.name ?? ''}`)
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
      const isOther = request.operation !== 'CREATE' || request.subresource !== ''
      if (!isKind(pod, 'core_v1.Pod') || isOther || isMirror(pod)) {
        return whenKnown(check(request, signal), () => pod)
      }
      const named = withAccount(pod)
      return whenKnown(find(request, named.spec.serviceAccountName ?? '', signal), (account) => {
        const mounted = wantsToken(account, named) ? withToken(named, random) : named
        const object = withPullSecrets(mounted, account)
        return enforcesSecrets(account) ? whenKnown(check({ ...request, object }, signal), () => object) : object
      })
    },
    validate: check,
  }
}

function checkedPod({ object, operation, subresource }: AdmissionRequest): Pod | undefined {
  if (!isKind(object, 'core_v1.Pod')) return undefined
  return subresource === (operation === 'CREATE' ? '' : 'ephemeralcontainers') ? object : undefined
}

function checkMirror(request: AdmissionRequest, pod: Pod): void {
  if ((pod.spec.serviceAccountName ?? '') !== '') {
    throw forbidden(request, 'a mirror pod may not reference service accounts')
  }
  if (secretsOf(pod).length > 0) throw forbidden(request, 'a mirror pod may not reference secrets')
  if (usesTokens(pod)) throw forbidden(request, 'a mirror pod may not use ServiceAccountToken volume projections')
}

function withAccount(pod: Pod): Pod {
  const { serviceAccountName: name = '' } = pod.spec
  // `serviceAccount` is the deprecated alias.
  return name === '' ? withSpec(pod, { serviceAccountName: DEFAULT_NAME, serviceAccount: DEFAULT_NAME }) : pod
}

function enforcesSecrets(account: ServiceAccount): boolean {
  return ['1', 't', 'T', 'true', 'TRUE', 'True'].includes(
    own(annotationsOf(account), 'kubernetes.io/enforce-mountable-secrets') ?? '',
  )
}

/** Whether the token is mounted. The pod takes precedence over the account. */
function wantsToken(account: ServiceAccount, { spec }: Pod): boolean {
  return (spec.automountServiceAccountToken ?? account.automountServiceAccountToken) !== false
}

function withToken(pod: Pod, random: Random): Pod {
  const { spec } = pod
  const { volumes = [] } = spec
  const existing = volumes.find((volume) => volume.name.startsWith(VOLUME_PREFIX))
  const name = existing === undefined ? VOLUME_PREFIX + nameSuffix(random) : existing.name
  const changed: { -readonly [N in keyof PodSpec]?: PodSpec[N] } = {}
  for (const list of ['initContainers', 'containers'] as const) {
    const containers = spec[list] ?? []
    if (containers.some(lacksMount)) {
      changed[list] = containers.map((container) => (lacksMount(container) ? withMount(container, name) : container))
    }
  }
  if (Object.keys(changed).length === 0) return pod
  return withSpec(pod, existing === undefined ? { ...changed, volumes: [...volumes, tokenVolume(name)] } : changed)
}

function lacksMount({ volumeMounts = [] }: Container): boolean {
  return !volumeMounts.some(({ mountPath }) => mountPath === MOUNT_PATH)
}

function withMount(container: Container, name: string): Container {
  const mount = { name, readOnly: true, mountPath: MOUNT_PATH }
  return { ...container, volumeMounts: [...(container.volumeMounts ?? []), mount] }
}

function tokenVolume(name: string): Volume {
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

function withPullSecrets(pod: Pod, { imagePullSecrets: secrets = [] }: ServiceAccount): Pod {
  if ((pod.spec.imagePullSecrets ?? []).length > 0) return pod
  return secrets.length === 0 ? pod : withSpec(pod, { imagePullSecrets: secrets })
}
