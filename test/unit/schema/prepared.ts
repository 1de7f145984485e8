// What the server fills in between defaulting and validation, as far as validation sees it: the test's stand-in for the
// strategies of the kinds.
import type { ApiObject } from '../../../src/api/object.ts'
import { isMap, type Value, type ValueMap } from '../../../src/api/value.ts'

const UID = '99999999-2222-4333-8444-555555555555'

const part = (map: ValueMap, name: string): ValueMap => {
  const value = map[name]
  return isMap(value) ? value : {}
}

/** Kinds whose status only the status subresource writes. */
const WITH_STATUS =
  /^(Pod|Deployment|ReplicaSet|StatefulSet|DaemonSet|Job|CronJob|Service|PersistentVolume|PersistentVolumeClaim|Namespace|HorizontalPodAutoscaler|Ingress|PodDisruptionBudget|ResourceQuota|ReplicationController|CertificateSigningRequest|FlowSchema|PriorityLevelConfiguration|VolumeAttachment|ValidatingAdmissionPolicy|ServiceCIDR|APIService|ResourceClaim)$/

function hasStatus(kind: string): boolean {
  return WITH_STATUS.test(kind)
}

/** A new object as validation sees it. */
export function prepared(object: ApiObject): ApiObject {
  if (object.kind.endsWith('Review')) return object
  const metadata: ValueMap = {
    ...object.metadata,
    uid: UID,
    creationTimestamp: '2024-01-01T00:00:00Z',
  }
  const made: ApiObject = { ...object, metadata }
  const { status: _, ...withoutStatus } = made
  const base = hasStatus(made.kind) ? { ...withoutStatus, ...initialStatus(made.kind) } : made
  return KINDS[made.kind]?.(base) ?? base
}

/** An object that is to take the place of the stored one, through a subresource or not. */
export function updated(object: ApiObject, stored: ApiObject, subresource: string): ApiObject {
  const metadata = { ...object.metadata }
  for (const field of SERVER_SET) {
    const kept = GIVEN.has(field) ? (metadata[field] ?? stored.metadata[field]) : stored.metadata[field]
    if (kept === undefined) delete metadata[field]
    else metadata[field] = kept
  }
  const changed: ApiObject = { ...object, metadata }
  const base: ApiObject = { ...stored, metadata }
  if (subresource === 'status') return withMember(base, 'status', changed['status'])
  if (subresource === 'approval') {
    return { ...base, status: { ...part(base, 'status'), conditions: part(changed, 'status')['conditions'] ?? [] } }
  }
  if (subresource === 'ephemeralcontainers') {
    const { ephemeralContainers: list = [] } = part(changed, 'spec')
    return { ...base, spec: { ...part(base, 'spec'), ephemeralContainers: list } }
  }
  const whole = changed.kind === 'CertificateSigningRequest' ? withMember(changed, 'spec', stored['spec']) : changed
  return hasStatus(object.kind) ? withMember(whole, 'status', stored['status']) : whole
}

const SERVER_SET: readonly string[] = [
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
  'resourceVersion',
]
const GIVEN: ReadonlySet<string> = new Set(['uid', 'deletionTimestamp', 'deletionGracePeriodSeconds'])

function withMember(object: ApiObject, name: string, value: Value | undefined): ApiObject {
  const { [name]: _, ...rest } = object
  return (value === undefined ? rest : { ...rest, [name]: value }) as ApiObject
}

function initialStatus(kind: string): ValueMap {
  const phase = { Pod: 'Pending', PersistentVolume: 'Pending', PersistentVolumeClaim: 'Pending', Namespace: 'Active' }[
    kind
  ]
  return phase === undefined ? {} : { status: { phase } }
}

const TOLERATIONS: readonly Value[] = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'].map((key) => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
}))

const KINDS: Readonly<Record<string, (object: ApiObject) => ApiObject>> = {
  CustomResourceDefinition: (object) => {
    const { versions } = part(object, 'spec')
    const list: readonly Value[] = Array.isArray(versions) ? versions : []
    const storage = list.find((version) => isMap(version) && version['storage'] === true)
    const stored = isMap(storage) ? { storedVersions: [storage['name'] ?? ''] } : {}
    return { ...object, status: stored }
  },
  Job: (object) => {
    const spec = part(object, 'spec')
    if (spec['manualSelector'] === true) return object
    const template = part(spec, 'template')
    const meta = part(template, 'metadata')
    const uid = object.metadata['uid'] ?? ''
    const name = object.metadata['name'] ?? ''
    const labels: ValueMap = {
      ...part(meta, 'labels'),
      'controller-uid': uid,
      'job-name': name,
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': name,
    }
    const selector = part(spec, 'selector')
    const matchLabels = { ...part(selector, 'matchLabels'), 'batch.kubernetes.io/controller-uid': uid }
    return {
      ...object,
      spec: {
        ...spec,
        selector: { ...selector, matchLabels },
        template: { ...template, metadata: { ...meta, labels } },
      },
    }
  },
  LimitRange: (object) => ({ ...object, metadata: { name: UID, ...object.metadata } }),
  Namespace: (object) => ({ ...object, spec: { finalizers: ['kubernetes'] } }),
  PersistentVolumeClaim: (object) => {
    const { dataSource, ...spec } = part(object, 'spec')
    const kind = isMap(dataSource) ? dataSource['kind'] : undefined
    return kind === 'PersistentVolumeClaim' || kind === 'VolumeSnapshot' ? object : { ...object, spec }
  },
  Pod: (object) => {
    const spec = part(object, 'spec')
    const account: Value = spec['serviceAccountName'] ?? 'default'
    const tolerations = [
      ...(Array.isArray(spec['tolerations']) ? (spec['tolerations'] as Value[]) : []),
      ...TOLERATIONS,
    ]
    const filled = { ...spec, serviceAccountName: account, serviceAccount: account, priority: 0, tolerations }
    return { ...object, spec: filled, status: { phase: 'Pending', qosClass: 'BestEffort' } }
  },
  Service: (object) => {
    const spec = part(object, 'spec')
    const { clusterIP, clusterIPs } = spec
    if (typeof clusterIP === 'string' && clusterIP !== '' && clusterIPs === undefined) {
      return { ...object, spec: { ...spec, clusterIPs: [clusterIP] } }
    }
    return object
  },
}
