// Checks a certificate that a kubelet requests for a pod. The pod must run on the node, and its account must be the named one. The pod must
// ask for a certificate of the signer in a projected volume, or the node must be authorized for the signer.
import { quoted } from '../api/field-error.ts'
import type { Pod, PodCertificateRequest } from '../api/gen/kinds.ts'
import { isKindInAnyVersion } from '../api/kind-guard.ts'
import { metaText } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { ApiError } from '../api/status.ts'
import type { AdmissionRequest } from '../admission/admission.ts'
import type { ObjectReader } from '../admission/object-reader.ts'
import type { TokenParts } from './node-tokens.ts'
import { isMirror } from './pod-secrets.ts'

interface Asked {
  readonly request: AdmissionRequest
  readonly node: string
  readonly signal: AbortSignal
}

/** The reason why the write is refused. Undefined: it is allowed. */
export async function podCertificateRefusal(
  parts: TokenParts,
  { request, node, signal }: Asked,
): Promise<string | undefined> {
  const { operation, subresource, namespace, object } = request
  if (operation !== 'CREATE') return `unexpected operation ${operation}`
  if (subresource !== '') return `unexpected subresource ${subresource}`
  if (!isKindInAnyVersion(object, 'certificates.k8s.io_v1.PodCertificateRequest')) return undefined
  const { spec } = object
  if (spec.nodeName !== node) {
    return `PodCertificateRequest.Spec.NodeName=${quoted(spec.nodeName)}, which is not the requesting node ${quoted(node)}`
  }
  const place = quoted(`${namespace}/${spec.podName}`)
  const ofPod = `PodCertificateRequest for pod ${place}`
  const runningNode = await named(parts.nodes, ['', 'node', node], signal)
  if (uidOf(runningNode) !== spec.nodeUID)
    return `${ofPod} names node UID ${quoted(spec.nodeUID)}, inconsistent with the running node (${quoted(uidOf(runningNode))})`
  const pod = await named(parts.pods, [namespace, 'pod', spec.podName], signal)
  if (uidOf(pod) !== spec.podUID)
    return `${ofPod} contains pod UID (${quoted(spec.podUID)}) which differs from running pod ${quoted(uidOf(pod))}`
  if (pod.spec.nodeName !== node)
    return `pod ${place} is not running on node ${quoted(node)} named in the PodCertificateRequest`
  if (isMirror(pod)) return `pod ${place} is a mirror pod`
  const { serviceAccountName: account = '' } = pod.spec
  if (spec.serviceAccountName !== account)
    return `${ofPod} contains serviceAccountName (${quoted(spec.serviceAccountName)}) that differs from running pod (${quoted(account)})`
  const running = await named(parts.accounts, [namespace, 'service account', account], signal)
  if (uidOf(running) !== spec.serviceAccountUID)
    return `${ofPod} names service account UID ${quoted(spec.serviceAccountUID)}, which differs from the running service account (${quoted(uidOf(running))})`
  return signerRefusal(parts, { request, pod, spec }, signal)
}

/** Level 1.36 of the reference does not check the signer, so that a node can have any signer certify the accounts of its pods. */
async function signerRefusal(
  { authorizer }: TokenParts,
  asked: { readonly request: AdmissionRequest; readonly pod: Pod; readonly spec: PodCertificateRequest['spec'] },
  signal: AbortSignal,
): Promise<string | undefined> {
  const { request, pod, spec } = asked
  const { signerName: signer, serviceAccountName: name } = spec
  if (requestsCertificate(pod, signer)) return undefined
  const { user, namespace, requestResource } = request
  const { group, version } = requestResource
  // The names of resources in roles cannot have slashes.
  const access = { group, version, resource: signer.replaceAll('/', ':'), namespace, name }
  const verb = 'request-serviceaccounts-podcertificate-signer'
  const decision = await authorizer.authorize({ kind: 'resource', user, verb, ...access }, signal)
  if (decision.kind === 'allow') return undefined
  return decision.problem === undefined
    ? `pod ${quoted(`${namespace}/${spec.podName}`)} does not mount a podCertificate projected volume for signer ${quoted(signer)}`
    : `error authorizing ${user.name} to request podcertificaterequests for signer ${quoted(signer)}: ${decision.problem}`
}

function requestsCertificate({ spec }: Pod, signer: string): boolean {
  const sources = (spec.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? [])
  return sources.some(({ podCertificate }) => podCertificate?.signerName === signer)
}

async function named<T extends ApiObject>(
  objects: ObjectReader<T>,
  [namespace, kind, name]: readonly [namespace: string, kind: string, name: string],
  signal: AbortSignal,
): Promise<T> {
  const found = await objects.find(namespace, name, signal)
  if (found !== undefined) return found
  const why = `while retrieving ${kind} named in the PodCertificateRequest: ${kind} ${quoted(name)} not found`
  throw new ApiError('NotFound', why, { details: { name, kind } })
}

function uidOf(object: ApiObject): string {
  return metaText(object, 'uid')
}
