// NodeRestriction: a kubelet can write only its own Node (but not protected labels and taints), its mirror pods, the status of pods bound
// to it, its lease, and tokens for its pods (P-169, CVE-2025-4563, CVE-2025-5187).
import { quoted } from '../api/field-error.ts'
import type { PersistentVolumeClaim, Pod } from '../api/gen/kinds.ts'
import { isKind } from '../api/kind-guard.ts'
import { labelsOf, metaOf, metaText } from '../api/object-members.ts'
import { formatGroupResource } from '../api/object.ts'
import { ApiError } from '../api/status.ts'
import { equalValues, type ValueMap } from '../api/value.ts'
import { nodeOfUser } from '../auth/user.ts'
import { COMMON_NAME, subjectOfRequest } from '../pki/certificate-names.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts'
import { requestIn } from './certificate-subject-restriction.ts'
import { changedLabels, isForbiddenLabel } from './node-labels.ts'
import { podCertificateRefusal } from './node-certificates.ts'
import { audienceRefusal, type TokenParts } from './node-tokens.ts'
import { apiReferenceOf } from './pod-references.ts'
import { isMirror } from './pod-secrets.ts'
import { forbidden } from '../admission/refusal.ts'

const MIRROR = 'kubernetes.io/config.mirror'
const LEASES = 'kube-node-lease'

interface Asked {
  readonly request: AdmissionRequest
  readonly node: string
  readonly signal: AbortSignal
}

/** The reason why a write is refused. Undefined: it is allowed. */
type Refusal = (parts: TokenParts, asked: Asked) => string | undefined | Promise<string | undefined>

const REFUSALS: Readonly<Record<string, Refusal>> = {
  pods: podRefusal,
  'pods/status': podStatusRefusal,
  'pods/eviction': evictionRefusal,
  nodes: nodeRefusal,
  'nodes/status': nodeRefusal,
  'persistentvolumeclaims/status': claimStatusRefusal,
  'serviceaccounts/token': tokenRefusal,
  'leases.coordination.k8s.io': leaseRefusal,
  'csinodes.storage.k8s.io': csiNodeRefusal,
  'csinodes.storage.k8s.io/status': csiNodeStatusRefusal,
  'resourceslices.resource.k8s.io': sliceRefusal,
  'certificatesigningrequests.certificates.k8s.io': certificateRefusal,
  'podcertificaterequests.certificates.k8s.io': podCertificateRefusal,
  'podcertificaterequests.certificates.k8s.io/status': podCertificateRefusal,
}

const RESOURCES: readonly string[] = [...new Set(Object.keys(REFUSALS).map((place) => place.split('/')[0]!))]

export function nodeRestriction(parts: TokenParts): AdmissionPlugin {
  return {
    name: 'NodeRestriction',
    resources: RESOURCES,
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    async mutate(request, signal) {
      const node = nodeOfUser(request.user)
      if (node === undefined) return request.object
      if (node === '') {
        throw forbidden(request, `could not determine node from user ${quoted(request.user.name)}`)
      }
      const why = await refusalOf(parts, { request, node, signal })
      if (why !== undefined) throw forbidden(request, why)
      return request.object
    },
  }
}

function refusalOf(parts: TokenParts, asked: Asked): ReturnType<Refusal> {
  const { resource, subresource } = asked.request
  const name = formatGroupResource(resource)
  const place = subresource === '' ? name : `${name}/${subresource}`
  if (Object.hasOwn(REFUSALS, place)) return REFUSALS[place]!(parts, asked)
  if (name === 'pods') {
    return `unexpected pod subresource ${quoted(subresource)}, only 'status' and 'eviction' are allowed`
  }
  if (name === 'nodes') return nodeRefusal(parts, asked)
  return name === 'persistentvolumeclaims' ? 'may only update PVC status' : undefined
}

function podRefusal(parts: TokenParts, { request, node, signal }: Asked): ReturnType<Refusal> {
  const { operation, object, oldObject } = request
  if (operation === 'CREATE' && isKind(object, 'core_v1.Pod'))
    return newPodRefusal(parts, { request, node, signal }, object)
  if (operation !== 'DELETE') {
    return `unexpected operation ${quoted(operation)}, node ${quoted(node)} can only create and delete mirror pods`
  }
  if (isKind(oldObject, 'core_v1.Pod') && oldObject.spec.nodeName === node) return undefined
  return `node ${quoted(node)} can only delete pods with spec.nodeName set to itself`
}

async function newPodRefusal(parts: TokenParts, { node, signal }: Asked, pod: Pod): Promise<string | undefined> {
  const who = `node ${quoted(node)}`
  if (!isMirror(pod)) return `pod does not have ${quoted(MIRROR)} annotation, ${who} can only create mirror pods`
  if (pod.spec.nodeName !== node) return `${who} can only create pods with spec.nodeName set to itself`
  const [owner, ...others] = pod.metadata.ownerReferences ?? []
  if (others.length > 0) return `${who} can only create pods with a single owner reference set to itself`
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node)
    return `${who} can only create pods with an owner reference set to itself`
  if (owner.controller !== true) {
    return `${who} can only create pods with a controller owner reference set to itself`
  }
  if (owner.blockOwnerDeletion === true) return `${who} must not set blockOwnerDeletion on an owner reference`
  const found = await parts.nodes.find('', node, signal)
  if (found === undefined) throw notFound('node', node)
  if (owner.uid !== metaText(found, 'uid')) {
    return `node ${node} UID mismatch: expected ${owner.uid} got ${metaText(found, 'uid')}`
  }
  const reference = apiReferenceOf(pod)
  if (reference === undefined) return undefined
  return reference.kind === 'known'
    ? `${who} can not create pods that reference ${reference.resource}`
    : `error checking mirror pod for API references: ${reference.problem}`
}

function podStatusRefusal(_: TokenParts, { request, node }: Asked): string | undefined {
  const { operation, object, oldObject } = request
  if (operation !== 'UPDATE' || !isKind(object, 'core_v1.Pod') || !isKind(oldObject, 'core_v1.Pod')) {
    return `unexpected operation ${quoted(operation)}`
  }
  const who = `node ${quoted(node)}`
  if (oldObject.spec.nodeName !== node) {
    return `${who} can only update pod status for pods with spec.nodeName set to itself`
  }
  if (!equalValues(labelsOf(object), labelsOf(oldObject))) return `${who} cannot update labels through pod status`
  const [status, before] = [object.status, oldObject.status]
  if (!equalValues(status.resourceClaimStatuses ?? [], before.resourceClaimStatuses ?? [])) {
    return `${who} cannot update resource claim statues`
  }
  if (!equalValues(status.extendedResourceClaimStatus, before.extendedResourceClaimStatus)) {
    return `${who} cannot update extended resource claim status`
  }
  const allocatable = 'nodeAllocatableResourceClaimStatuses'
  if (equalValues(status[allocatable] ?? [], before[allocatable] ?? [])) return undefined
  return `${who} cannot update node allocatable resource claim statuses`
}

async function evictionRefusal(parts: TokenParts, { request, node, signal }: Asked): Promise<string | undefined> {
  const { operation, object, namespace } = request
  if (operation !== 'CREATE') return `unexpected operation ${operation}`
  const name = request.name || metaText(object ?? {}, 'name')
  if (name === '') return 'could not determine pod from request data'
  const pod = await parts.pods.find(namespace, name, signal)
  if (pod === undefined) throw notFound('pod', name)
  if (pod.spec.nodeName === node) return undefined
  return `node ${node} can only evict pods with spec.nodeName set to itself`
}

function nodeRefusal(_: TokenParts, { request, node }: Asked): string | undefined {
  const { operation, object, oldObject } = request
  const who = `node ${quoted(node)}`
  const name = request.name || metaText(object ?? {}, 'name')
  if (name !== node) return `${who} is not allowed to modify node ${quoted(name)}`
  if (!isKind(object, 'core_v1.Node')) return undefined
  const forbiddenLabels = changedLabels(object, oldObject).filter(isForbiddenLabel)
  if (operation === 'CREATE') {
    if (object.spec.configSource !== undefined) {
      return `${who} is not allowed to create pods with a non-nil configSource`
    }
    if (forbiddenLabels.length === 0) return undefined
    return `${who} is not allowed to set the following labels: ${forbiddenLabels.join(', ')}`
  }
  if (operation !== 'UPDATE' || !isKind(oldObject, 'core_v1.Node')) return undefined
  const { configSource: source, taints = [] } = object.spec
  if (source !== undefined && !equalValues(source, oldObject.spec.configSource)) {
    return `${who} is not allowed to update configSource to a new non-nil configSource`
  }
  if (!equalValues(taints, oldObject.spec.taints ?? [])) return `${who} is not allowed to modify taints`
  // The garbage collector would delete a node whose owner does not exist.
  if (!equalValues(metaOf(object).ownerReferences ?? [], metaOf(oldObject).ownerReferences ?? [])) {
    return `${who} is not allowed to modify ownerReferences`
  }
  return forbiddenLabels.length === 0 ? undefined : `is not allowed to modify labels: ${forbiddenLabels.join(', ')}`
}

const CLAIM_STATUS: readonly string[] = ['capacity', 'conditions', 'allocatedResourceStatuses', 'allocatedResources']

function claimStatusRefusal(_: TokenParts, { request, node }: Asked): string | undefined {
  const { operation, object, oldObject } = request
  const kind = 'core_v1.PersistentVolumeClaim'
  if (operation !== 'UPDATE' || !isKind(object, kind) || !isKind(oldObject, kind)) {
    return `unexpected operation ${quoted(operation)}`
  }
  const rest = (claim: PersistentVolumeClaim): ValueMap => ({
    ...claim,
    metadata: without(claim.metadata, ['resourceVersion', 'managedFields']),
    status: without(claim.status, CLAIM_STATUS),
  })
  if (equalValues(rest(object), rest(oldObject))) return undefined
  return `node ${quoted(node)} is not allowed to update fields other than status.quantity and status.conditions`
}

function without(map: ValueMap, names: readonly string[]): ValueMap {
  return Object.fromEntries(Object.entries(map).filter(([name]) => !names.includes(name)))
}

async function tokenRefusal(parts: TokenParts, { request, node, signal }: Asked): Promise<string | undefined> {
  const { operation, object, namespace } = request
  if (operation !== 'CREATE' || !isKind(object, 'authentication.k8s.io_v1.TokenRequest')) return undefined
  const { apiVersion, kind, name = '', uid = '' } = object.spec.boundObjectRef ?? {}
  if (apiVersion !== 'v1' || kind !== 'Pod' || name === '') return 'node requested token not bound to a pod'
  if (uid === '') return 'node requested token with a pod binding without a uid'
  const pod = await parts.pods.find(namespace, name, signal)
  if (pod === undefined) throw notFound('pod', name)
  if (uid !== metaText(pod, 'uid')) {
    return `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`
  }
  if (pod.spec.nodeName !== node) {
    return 'node requested token bound to a pod scheduled on a different node'
  }
  if (!parts.gates.has('ServiceAccountNodeAudienceRestriction')) return undefined
  return audienceRefusal(parts, { request, asked: object, pod }, signal)
}

function leaseRefusal(_: TokenParts, { request, node }: Asked): string | undefined {
  if (request.namespace !== LEASES) return `can only access leases in the ${quoted(LEASES)} system namespace`
  return nameOf(request) === node ? undefined : 'can only access node lease with the same name as the requesting node'
}

function csiNodeRefusal(_: TokenParts, { request, node }: Asked): string | undefined {
  return nameOf(request) === node ? undefined : 'can only access CSINode with the same name as the requesting node'
}

function csiNodeStatusRefusal(parts: TokenParts, asked: Asked): ReturnType<Refusal> {
  return parts.gates.has('CSIVolumeHealth') ? csiNodeRefusal(parts, asked) : 'CSIVolumeHealth feature gate is disabled'
}

function nameOf({ operation, object, name }: AdmissionRequest): string {
  return operation === 'CREATE' && object !== undefined ? metaText(object, 'name') : name
}

function sliceRefusal(_: TokenParts, { request, node }: Asked): string | undefined {
  const { operation, object, oldObject } = request
  const written = operation === 'CREATE' ? object : operation === 'DELETE' ? oldObject : undefined
  if (!isKind(written, 'resource.k8s.io_v1.ResourceSlice') || written.spec.nodeName === node) return undefined
  const verb = operation === 'CREATE' ? 'create' : 'delete'
  return `can only ${verb} ResourceSlice with the same NodeName as the requesting node`
}

const NODE_SIGNERS: readonly string[] = ['kubernetes.io/kubelet-serving', 'kubernetes.io/kube-apiserver-client-kubelet']

function certificateRefusal({ gates }: TokenParts, { request, node }: Asked): string | undefined {
  if (gates.has('AllowInsecureKubeletCertificateSigningRequests')) return undefined
  const { operation, object } = request
  if (operation !== 'CREATE' || !isKind(object, 'certificates.k8s.io_v1.CertificateSigningRequest')) return undefined
  if (!NODE_SIGNERS.includes(object.spec.signerName)) return undefined
  const subject = subjectOfRequest(requestIn(object.spec.request ?? ''))
  if (subject === undefined) return 'unable to parse csr: malformed certificate request'
  const names = subject.filter(({ type }) => type === COMMON_NAME)
  if (names.at(-1)?.text === `system:node:${node}`) return undefined
  return `can only create a node CSR with CN=system:node:${node}`
}

function notFound(kind: string, name: string): ApiError {
  return new ApiError('NotFound', `${kind} ${quoted(name)} not found`, { details: { name, kind } })
}
