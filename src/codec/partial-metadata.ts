// Metadata-only forms: the metadata is cut out of an object's canonical JSON as it stands there, without parsing anything.
import { findMember } from './json-scan.ts'

const NO_METADATA = Buffer.from('{}')
const END = Buffer.from('}')

/** A PartialObjectMetadata in JSON; `apiVersion` is `meta.k8s.io/v1` or another version or brand of it (R-370, D1). */
export function partialMetadata(bytes: Buffer, apiVersion: string): Buffer {
  const head = Buffer.from(`{"kind":"PartialObjectMetadata","apiVersion":"${apiVersion}","metadata":`)
  return Buffer.concat([head, metadataOf(bytes), END])
}

/** The bytes of the object's metadata, braces included: a view, not a copy. */
export function metadataOf(bytes: Buffer): Buffer {
  const span = findMember(bytes, 0, 'metadata')
  return span === undefined ? NO_METADATA : bytes.subarray(span.start, span.end)
}
