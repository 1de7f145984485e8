// The front door: the types of patches and their errors. Pure functions in the other files turn the current object into the patched one.
// The registry validates and stores the result, and tracks its ownership.
import { ApiError, type StatusDetails } from '../api/status.ts'

export type PatchType = 'json' | 'merge' | 'strategic' | ApplyType

/** An apply, by the encoding of its body. YAML includes JSON. */
export type ApplyType = 'apply-yaml' | 'apply-cbor'

const PATCH_TYPES: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply-yaml',
  'application/apply-patch+cbor': 'apply-cbor',
}

/** The type of patch that a Content-Type names. Its parameters are ignored. Undefined: the Content-Type names no type of patch. */
export function patchTypeOf(contentType: string): PatchType | undefined {
  const mediaType = contentType.split(';', 1)[0]!.trim()
  return Object.hasOwn(PATCH_TYPES, mediaType) ? PATCH_TYPES[mediaType] : undefined
}

export function isApply(type: PatchType): type is ApplyType {
  return type === 'apply-yaml' || type === 'apply-cbor'
}

/** The error of a well-formed patch that does not fit the object. The reference answers some of these patches with a bare 500 (D20). */
export function patchDoesNotFit(message: string): ApiError {
  return new ApiError('BadRequest', message)
}

/**
 * 422 with the reference's fixed text, which does not say why a JSON patch could not be applied (W-174). The cause has the reason, for
 * errors about the patches of webhooks and policies.
 */
export function patchRejected(details: StatusDetails = {}, cause?: Error): ApiError {
  const message = 'the server rejected our request due to an error in our request'
  return new ApiError('Invalid', message, { details, ...(cause === undefined ? {} : { cause }) })
}
