// NodeRestriction: a kubelet can only write its own Node, without protected labels and taints, its mirror pods, the status of pods
// bound to it, its lease, and tokens for its pods (P-169, CVE-2025-4563, CVE-2025-5187).
import { quoted } from '../api/field-error.ts'
import { isTrue, mapOrAbsent, mapOrEmpty, mapsOnly, textOrEmpty } from '../api/members.ts'
import { labelsOf, metaOf, metaText, specOf, statusOf } from '../api/object-members.ts'
import { type ApiObject, formatGroupResource } from '../api/object.ts'
import { ApiError } from '../api/status.ts'
import { equalValues, own, type ValueMap } from '../api/value.ts'
import { nodeOfUser } from '../auth/user.ts'
import { COMMON_NAME, subjectOfRequest } from '../pki/certificate-names.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts'
import { requestIn } from './certificate-subject-restriction.ts'
import { changedLabels, isForbiddenLabel } from './node-labels.ts'
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

/** Why a write is refused; undefined: it is allowed. */
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
  'resourceslices.resource.k8s.io': sliceRefusal,
  'certificatesigningrequests.certificates.k8s.io': certificateRefusal,
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
  if (operation === 'CREATE' && object !== undefined) return newPodRefusal(parts, { request, node, signal }, object)
  if (operation !== 'DELETE') {
    return `unexpected operation ${quoted(operation)}, node ${quoted(node)} can only create and delete mirror pods`
  }
  if (oldObject !== undefined && textOrEmpty(specOf(oldObject), 'nodeName') === node) return undefined
  return `node ${quoted(node)} can only delete pods with spec.nodeName set to itself`
}

async function newPodRefusal(parts: TokenParts, { node, signal }: Asked, pod: ApiObject): Promise<string | undefined> {
  const who = `node ${quoted(node)}`
  if (!isMirror(pod)) return `pod does not have ${quoted(MIRROR)} annotation, ${who} can only create mirror pods`
  const spec = specOf(pod)
  if (textOrEmpty(spec, 'nodeName') !== node) return `${who} can only create pods with spec.nodeName set to itself`
  const [owner, ...others] = mapsOnly(metaOf(pod), 'ownerReferences')
  if (others.length > 0) return `${who} can only create pods with a single owner reference set to itself`
  const isOwn =
    owner !== undefined &&
    textOrEmpty(owner, 'apiVersion') === 'v1' &&
    textOrEmpty(owner, 'kind') === 'Node' &&
    textOrEmpty(owner, 'name') === node
  if (!isOwn) return `${who} can only create pods with an owner reference set to itself`
  if (own(owner, 'controller') !== true) {
    return `${who} can only create pods with a controller owner reference set to itself`
  }
  if (isTrue(owner, 'blockOwnerDeletion')) return `${who} must not set blockOwnerDeletion on an owner reference`
  const found = await parts.nodes.find('', node, signal)
  if (found === undefined) throw notFound('node', node)
  if (textOrEmpty(owner, 'uid') !== metaText(found, 'uid')) {
    return `node ${node} UID mismatch: expected ${textOrEmpty(owner, 'uid')} got ${metaText(found, 'uid')}`
  }
  const reference = apiReferenceOf(pod)
  if (reference === undefined) return undefined
  return reference.kind === 'known'
    ? `${who} can not create pods that reference ${reference.resource}`
    : `error checking mirror pod for API references: ${reference.problem}`
}

function podStatusRefusal(_: TokenParts, { request, node }: Asked): string | undefined {
  const { operation, object, oldObject } = request
  if (operation !== 'UPDATE' || object === undefined || oldObject === undefined) {
    return `unexpected operation ${quoted(operation)}`
  }
  const who = `node ${quoted(node)}`
  if (textOrEmpty(specOf(oldObject), 'nodeName') !== node) {
    return `${who} can only update pod status for pods with spec.nodeName set to itself`
  }
  if (!equalValues(labelsOf(object), labelsOf(oldObject))) return `${who} cannot update labels through pod status`
  const claims = (pod: ApiObject): readonly ValueMap[] => mapsOnly(statusOf(pod), 'resourceClaimStatuses')
  const extended = (pod: ApiObject): ValueMap => mapOrEmpty(statusOf(pod), 'extendedResourceClaimStatus')
  if (!equalValues(claims(object), claims(oldObject))) return `${who} cannot update resource claim statues`
  if (equalValues(extended(object), extended(oldObject))) return undefined
  return `${who} cannot update extended resource claim status`
}

async function evictionRefusal(parts: TokenParts, { request, node, signal }: Asked): Promise<string | undefined> {
  const { operation, object, namespace } = request
  if (operation !== 'CREATE') return `unexpected operation ${operation}`
  const name = request.name || metaText(object ?? {}, 'name')
  if (name === '') return 'could not determine pod from request data'
  const pod = await parts.pods.find(namespace, name, signal)
  if (pod === undefined) throw notFound('pod', name)
  if (textOrEmpty(specOf(pod), 'nodeName') === node) return undefined
  return `node ${node} can only evict pods with spec.nodeName set to itself`
}

function nodeRefusal(_: TokenParts, { request, node }: Asked): string | undefined {
  const { operation, object, oldObject } = request
  const who = `node ${quoted(node)}`
  const name = request.name || metaText(object ?? {}, 'name')
  if (name !== node) return `${who} is not allowed to modify node ${quoted(name)}`
  if (object === undefined) return undefined
  const forbiddenLabels = changedLabels(object, oldObject).filter(isForbiddenLabel)
  if (operation === 'CREATE') {
    if (mapOrAbsent(specOf(object), 'configSource') !== undefined) {
      return `${who} is not allowed to create pods with a non-nil configSource`
    }
    if (forbiddenLabels.length === 0) return undefined
    return `${who} is not allowed to set the following labels: ${forbiddenLabels.join(', ')}`
  }
  if (operation !== 'UPDATE' || oldObject === undefined) return undefined
  const source = mapOrAbsent(specOf(object), 'configSource')
  if (source !== undefined && !equalValues(source, own(specOf(oldObject), 'configSource'))) {
    return `${who} is not allowed to update configSource to a new non-nil configSource`
  }
  if (!equalValues(mapsOnly(specOf(object), 'taints'), mapsOnly(specOf(oldObject), 'taints'))) {
    return `${who} is not allowed to modify taints`
  }
  // With an owner that does not exist the garbage collector would delete the node.
  const owners = (each: ApiObject): readonly ValueMap[] => mapsOnly(metaOf(each), 'ownerReferences')
  if (!equalValues(owners(object), owners(oldObject))) return `${who} is not allowed to modify ownerReferences`
  return forbiddenLabels.length === 0 ? undefined : `is not allowed to modify labels: ${forbiddenLabels.join(', ')}`
}

const CLAIM_STATUS: readonly string[] = ['capacity', 'conditions', 'allocatedResourceStatuses', 'allocatedResources']

function claimStatusRefusal(_: TokenParts, { request, node }: Asked): string | undefined {
  const { operation, object, oldObject } = request
  if (operation !== 'UPDATE' || object === undefined || oldObject === undefined) {
    return `unexpected operation ${quoted(operation)}`
  }
  const rest = (claim: ApiObject): ValueMap => ({
    ...claim,
    metadata: without(claim.metadata, ['resourceVersion', 'managedFields']),
    status: without(statusOf(claim), CLAIM_STATUS),
  })
  if (equalValues(rest(object), rest(oldObject))) return undefined
  return `node ${quoted(node)} is not allowed to update fields other than status.quantity and status.conditions`
}

function without(map: ValueMap, names: readonly string[]): ValueMap {
  return Object.fromEntries(Object.entries(map).filter(([name]) => !names.includes(name)))
}

async function tokenRefusal(parts: TokenParts, { request, node, signal }: Asked): Promise<string | undefined> {
  const { operation, object, namespace } = request
  if (operation !== 'CREATE' || object === undefined) return undefined
  const reference = mapOrEmpty(specOf(object), 'boundObjectRef')
  const name = textOrEmpty(reference, 'name')
  if (textOrEmpty(reference, 'apiVersion') !== 'v1' || textOrEmpty(reference, 'kind') !== 'Pod' || name === '') {
    return 'node requested token not bound to a pod'
  }
  const uid = textOrEmpty(reference, 'uid')
  if (uid === '') return 'node requested token with a pod binding without a uid'
  const pod = await parts.pods.find(namespace, name, signal)
  if (pod === undefined) throw notFound('pod', name)
  if (uid !== metaText(pod, 'uid')) {
    return `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`
  }
  if (textOrEmpty(specOf(pod), 'nodeName') !== node) {
    return 'node requested token bound to a pod scheduled on a different node'
  }
  if (!parts.gates.has('ServiceAccountNodeAudienceRestriction')) return undefined
  return audienceRefusal(parts, { request, pod }, signal)
}

function leaseRefusal(_: TokenParts, { request, node }: Asked): string | undefined {
  if (request.namespace !== LEASES) return `can only access leases in the ${quoted(LEASES)} system namespace`
  return nameOf(request) === node ? undefined : 'can only access node lease with the same name as the requesting node'
}

function csiNodeRefusal(_: TokenParts, { request, node }: Asked): string | undefined {
  return nameOf(request) === node ? undefined : 'can only access CSINode with the same name as the requesting node'
}

function nameOf({ operation, object, name }: AdmissionRequest): string {
  return operation === 'CREATE' && object !== undefined ? metaText(object, 'name') : name
}

function sliceRefusal(_: TokenParts, { request, node }: Asked): string | undefined {
  const { operation, object, oldObject } = request
  const written = operation === 'CREATE' ? object : operation === 'DELETE' ? oldObject : undefined
  if (written === undefined || textOrEmpty(specOf(written), 'nodeName') === node) return undefined
  const verb = operation === 'CREATE' ? 'create' : 'delete'
  return `can only ${verb} ResourceSlice with the same NodeName as the requesting node`
}

const NODE_SIGNERS: readonly string[] = ['kubernetes.io/kubelet-serving', 'kubernetes.io/kube-apiserver-client-kubelet']

function certificateRefusal({ gates }: TokenParts, { request, node }: Asked): string | undefined {
  if (gates.has('AllowInsecureKubeletCertificateSigningRequests')) return undefined
  const { operation, object } = request
  if (operation !== 'CREATE' || object === undefined) return undefined
  const spec = specOf(object)
  if (!NODE_SIGNERS.includes(textOrEmpty(spec, 'signerName'))) return undefined
  const subject = subjectOfRequest(requestIn(textOrEmpty(spec, 'request')))
  if (subject === undefined) return 'unable to parse csr: malformed certificate request'
  const names = subject.filter(({ type }) => type === COMMON_NAME)
  if (names.at(-1)?.text === `system:node:${node}`) return undefined
  return `can only create a node CSR with CN=system:node:${node}`
}

function notFound(kind: string, name: string): ApiError {
  return new ApiError('NotFound', `${kind} ${quoted(name)} not found`, { details: { name, kind } })
}
