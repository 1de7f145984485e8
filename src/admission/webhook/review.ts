// AdmissionReview in both versions: the request to a webhook and its response (W-489 to W-493).
import { jsonText } from '../../api/json-text.ts'
import { asMap, isTrue, mapOrAbsent, mapOrEmpty, textOrEmpty, textsOnly } from '../../api/members.ts'
import type { ApiObject } from '../../api/object.ts'
import { userInfo } from '../../api/user.ts'
import { own, type Value, type ValueMap } from '../../api/value.ts'
import type { AdmissionRequest } from '../admission.ts'
import { namespaceOf } from '../request-selectors.ts'
import type { ReviewVersion } from './hook.ts'
import type { Invocation, ServedKind } from './invocation.ts'

/** The request without its objects and uid, in the member order of the reference. Match conditions see it as `request`. */
export function requestFacts({ kind, resource }: Pick<ServedKind, 'kind' | 'resource'>, request: AdmissionRequest) {
  const { requestKind, requestResource, subresource, name, operation, dryRun } = request
  const namespace = namespaceOf(request)
  return {
    kind: { group: kind.group, version: kind.version, kind: kind.kind },
    resource: { group: resource.group, version: resource.version, resource: resource.resource },
    ...(subresource === '' ? {} : { subResource: subresource }),
    requestKind: { group: requestKind.group, version: requestKind.version, kind: requestKind.kind },
    requestResource: {
      group: requestResource.group,
      version: requestResource.version,
      resource: requestResource.resource,
    },
    ...(subresource === '' ? {} : { requestSubResource: subresource }),
    ...(name === '' ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    operation,
    userInfo: { username: '', ...userInfo(request.user) },
    dryRun,
    options: optionsOf(request),
  } satisfies ValueMap
}

const OPTIONS_KINDS = {
  CREATE: 'CreateOptions',
  UPDATE: 'UpdateOptions',
  DELETE: 'DeleteOptions',
  CONNECT: undefined,
} as const

/** The options of a patch appear as those of an update (W-170). */
function optionsOf({ operation, options }: AdmissionRequest): ValueMap | null {
  const kind = OPTIONS_KINDS[operation]
  if (kind === undefined) return null
  const { kind: _, apiVersion: __, ...rest } = options
  return { kind, apiVersion: 'meta.k8s.io/v1', ...rest }
}

export interface Review {
  readonly version: ReviewVersion
  readonly uid: string
  readonly request: AdmissionRequest
}

/** The body of the call. Objects are encoded by their schema. */
export function encodeReview({ as, object, oldObject }: Invocation, { version, uid, request }: Review): string {
  const { dryRun, options, ...facts } = requestFacts(as, request)
  const text = (value: ApiObject | undefined): string => (value === undefined ? 'null' : as.encode(value))
  const head = jsonText({ uid, ...facts }).slice(0, -1)
  const tail = `"object":${text(object)},"oldObject":${text(oldObject)},"dryRun":${dryRun},"options":${jsonText(options)}`
  return `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/${version}","request":${head},${tail}}}`
}

export interface Verdict {
  readonly allowed: boolean
  /** A JSON patch, as it was sent. */
  readonly patch: Buffer | undefined
  readonly warnings: readonly string[]
  readonly auditAnnotations: Readonly<Record<string, string>>
  /** The reason for a denial. */
  readonly status: ValueMap | undefined
}

/** Thrown if the response is invalid. */
export class ReviewError extends Error {}

/** Throws `ReviewError`. */
export function readVerdict(answer: unknown, { version, uid }: Review, isMutating: boolean): Verdict {
  const review = asMap(answer as Value)
  const response = mapOrAbsent(review, 'response')
  if (response === undefined) throw new ReviewError('webhook response was absent')
  if (version === 'v1') checkIdentity(review, response, uid)
  const patch = patchOf(response, version, isMutating)
  return {
    allowed: isTrue(response, 'allowed'),
    patch,
    warnings: textsOnly(response, 'warnings'),
    auditAnnotations: Object.fromEntries(
      Object.entries(mapOrEmpty(response, 'auditAnnotations')).flatMap(([key, value]) =>
        typeof value === 'string' ? [[key, value]] : [],
      ),
    ),
    status: mapOrAbsent(response, 'status'),
  }
}

function checkIdentity(review: ValueMap, response: ValueMap, uid: string): void {
  const sent = textOrEmpty(response, 'uid')
  if (sent !== uid) throw new ReviewError(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(sent)}`)
  const [apiVersion, kind] = [textOrEmpty(review, 'apiVersion'), textOrEmpty(review, 'kind')]
  if (apiVersion !== 'admission.k8s.io/v1' || kind !== 'AdmissionReview') {
    throw new ReviewError(
      `expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${apiVersion}, Kind=${kind}`,
    )
  }
}

/** In v1beta1 the patch type is optional, and the patch of a validating webhook is ignored. */
function patchOf(response: ValueMap, version: ReviewVersion, isMutating: boolean): Buffer | undefined {
  const patch = bytesOf(own(response, 'patch'))
  const type = own(response, 'patchType') ?? undefined
  if (version === 'v1beta1') return isMutating ? patch : undefined
  if (!isMutating) {
    if (patch !== undefined) throw new ReviewError('validating webhook may not return response.patch')
    if (type !== undefined) throw new ReviewError('validating webhook may not return response.patchType')
    return undefined
  }
  if (patch !== undefined && type === undefined) {
    throw new ReviewError('webhook returned response.patch but not response.patchType')
  }
  if (patch === undefined && type !== undefined) {
    throw new ReviewError('webhook returned response.patchType but not response.patch')
  }
  if (type === '') throw new ReviewError('webhook returned invalid response.patchType of ""')
  if (type !== undefined && type !== 'JSONPatch')
    throw new ReviewError(`unsupported patch type ${JSON.stringify(type)}`)
  return patch
}

function bytesOf(value: Value | undefined): Buffer | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string' || !/^[A-Za-z0-9+/\r\n]*=*$/.test(value.trim())) {
    throw new ReviewError('response.patch is not base64')
  }
  return Buffer.from(value, 'base64')
}
