// The Content-Type of a request: the encoding of a body, or the type of a patch.
import { ApiError } from '../api/status.ts'
import type { Encoding } from '../codec/codec.ts'
import { encodingOfBody, unsupportedMediaType } from '../codec/media-type.ts'
import { type PatchType, patchTypeOf } from '../patch/patch.ts'
import { headerOf, type ResourceParts, type ResourceRequest, type ServedRequest } from './resource-parts.ts'

export const CBOR_GATE = 'CBORServingAndStorage'
const CUSTOM_PATCH_TYPES: readonly string[] = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/apply-patch+yaml',
]

export function bodyEncoding(parts: ResourceParts, { http, resource }: ServedRequest): Encoding {
  const types = { protobuf: resource.schema.hasProtobuf, cbor: parts.gates.has(CBOR_GATE) }
  return encodingOfBody(headerOf(http, 'content-type'), types)
}

/** Refuses other types as the reference does. The refusals differ for built-in and custom kinds (W-155, W-156). */
export function patchType(parts: ResourceParts, { http, resource }: ResourceRequest): PatchType {
  const contentType = headerOf(http, 'content-type')
  const type = patchTypeOf(contentType)
  const isOff = type === 'apply-cbor' ? !parts.gates.has(CBOR_GATE) : type === 'strategic' && resource.isCustom
  if (type !== undefined && !isOff) return type
  if (resource.isCustom) throw unsupportedMediaType(CUSTOM_PATCH_TYPES)
  throw new ApiError('UnsupportedMediaType', '415: Unsupported Media Type', { details: {} })
}
