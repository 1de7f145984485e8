// PartialObjectMetadata: cuts the metadata out of an object's canonical JSON without parsing it.
import { findMember } from './json-scan.ts'
import type { Span } from './json-scan.ts'

const NO_METADATA = Buffer.from('{}')
const END = Buffer.from('}')

/** An object in canonical JSON. */
export interface WithMetadata {
  readonly bytes: Buffer
  /** The metadata within `bytes`, if its place is cached. */
  readonly metadata?: Buffer
}

/** A PartialObjectMetadata in JSON. `apiVersion` is `meta.k8s.io/v1`, or another version or brand of this group (R-370, D1). */
export function partialMetadata(object: WithMetadata, apiVersion: string): Buffer {
  return Buffer.concat([partialHead(apiVersion), metadataOf(object), END])
}

/** The text before the metadata. A brace follows the metadata. */
export function partialHead(apiVersion: string): Buffer {
  return Buffer.from(`{"kind":"PartialObjectMetadata","apiVersion":${JSON.stringify(apiVersion)},"metadata":`)
}

/** A view of the bytes of the object's metadata, with its braces. */
export function metadataOf({ bytes, metadata }: WithMetadata): Buffer {
  if (metadata !== undefined) return metadata
  const span = metadataSpan(bytes)
  return span === undefined ? NO_METADATA : bytes.subarray(span.start, span.end)
}

export function metadataSpan(bytes: Buffer): Span | undefined {
  return findMember(bytes, 0, 'metadata')
}
