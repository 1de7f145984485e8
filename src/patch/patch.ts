// The front door: the forms of a patch body, and how each turns the current object into the wanted one. Pure functions. The registry stores,
// validates and tracks the ownership of the result.
import { ApiError, type StatusDetails } from '../api/status.ts'

export type PatchType = 'json' | 'merge' | 'strategic' | ApplyType

/** An apply by the encoding of its body. YAML includes JSON. */
export type ApplyType = 'apply-yaml' | 'apply-cbor'

const PATCH_TYPES: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply-yaml',
  'application/apply-patch+cbor': 'apply-cbor',
}

/** The kind of patch that a Content-Type names, parameters aside; undefined if it names none. */
export function patchTypeOf(contentType: string): PatchType | undefined {
  const mediaType = contentType.split(';', 1)[0]!.trim()
  return Object.hasOwn(PATCH_TYPES, mediaType) ? PATCH_TYPES[mediaType] : undefined
}

export function isApply(type: PatchType): type is ApplyType {
  return type === 'apply-yaml' || type === 'apply-cbor'
}

/** A patch that is well-formed but does not fit the object. The reference answers some of these with a bare 500 (D20). */
export function patchDoesNotFit(message: string): ApiError {
  return new ApiError('BadRequest', message)
}

/** 422 with the reference's fixed text: it does not say why a JSON patch could not be applied (W-174);
 * the cause does, for those who are told of a webhook's patch. */
export function patchRejected(details: StatusDetails = {}, cause?: Error): ApiError {
  const message = 'the server rejected our request due to an error in our request'
  return new ApiError('Invalid', message, { details, ...(cause === undefined ? {} : { cause }) })
}
