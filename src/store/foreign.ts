// Values that another server of this API has stored, in its own encoding. The store knows no schema, so it gets a decoder that converts
// these values to canonical JSON. This server always writes canonical JSON.
import { encodeStored, parseStored } from '../codec/stored-json.ts'

export type ForeignValue =
  /** Canonical JSON. */
  | { readonly kind: 'object'; readonly bytes: Buffer }
  /** `problem` may be shown to clients. */
  | { readonly kind: 'unreadable'; readonly problem: string }

/**
 * Reads a value that is not canonical JSON, or is foreign by `IsForeign`. `key` is relative to the server's prefix: `pods/default/web`.
 * Never throws.
 */
export type DecodeForeign = (bytes: Buffer, key: string) => ForeignValue

/** Whether canonical JSON must be decoded, because it was written at another level of the API. */
export type IsForeign = (bytes: Buffer, key: string) => boolean

const NO_OBJECT: ForeignValue = { kind: 'unreadable', problem: 'the stored data is not an object' }

/** Decodes JSON that is not canonical. */
export const decodeAnyJson: DecodeForeign = (bytes) => {
  const object = parseStored(bytes)
  return object === undefined ? NO_OBJECT : { kind: 'object', bytes: encodeStored(object) }
}
