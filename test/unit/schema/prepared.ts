// What the server fills in between defaulting and validation, as far as validation sees it: the test's stand-in for the
// strategies of the kinds.
import type { ApiObject } from '../../../src/api/object.ts'
import { isMap, type Value, type ValueMap } from '../../../src/api/value.ts'

const UID = '11111111-2222-4333-8444-555555555555'

const part = (map: ValueMap, name: string): ValueMap => {
  const value = map[name]
  return isMap(value) ? value : {}
}

/** Kinds whose status only the status subresource writes. */
const WITH_STATUS =
  /^(Pod|Deployment|ReplicaSet|StatefulSet|DaemonSet|Job|CronJob|Service|PersistentVolume|PersistentVolumeClaim|Namespace|HorizontalPodAutoscaler|Ingress|PodDisruptionBudget|ResourceQuota|ReplicationController|CertificateSigningRequest|FlowSchema|PriorityLevelConfiguration|VolumeAttachment|ValidatingAdmissionPolicy|ServiceCIDR|APIService|ResourceClaim)$/

export function hasStatus(kind: string): boolean {
  return WITH_STATUS.test(kind)
}

/** A new object as validation sees it. */
export function prepared(object: ApiObject): ApiObject {
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

function initialStatus(kind: string): ValueMap {
  const phase = { Pod: 'Pending', PersistentVolume: 'Pending', PersistentVolumeClaim: 'Pending', Namespace: 'Active' }[
    kind
  ]
  return phase === undefined ? {} : { status: { phase } }
}

const KINDS: Readonly<Record<string, (object: ApiObject) => ApiObject>> = {
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
  Namespace: (object) => ({ ...object, spec: { finalizers: ['kubernetes'] } }),
  Pod: (object) => {
    const spec = part(object, 'spec')
    const account: Value = spec['serviceAccountName'] ?? 'default'
    const filled = { ...spec, serviceAccountName: account, serviceAccount: account, priority: 0 }
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
