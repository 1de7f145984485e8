// Objects to the JSON that is stored and back. Integers beyond 2^53 survive as `bigint` (D19); everything else is what the
// engine's own parser makes of it, because what is stored was checked when it came in.
import type { ApiObject } from '../api/object.ts'
import { isMap } from '../api/value.ts'
import type { Value } from '../api/value.ts'

/** Only a run of digits this long can be an integer that a double does not hold. */
const LONG_NUMBER = /[0-9]{16}/

/** `JSON.parse` as this Node has it: the reviver is told the source text of a scalar. */
type Parse = (text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown) => unknown

/** Throws `SyntaxError` for what is not JSON. */
export function parseJson(bytes: Buffer): Value {
  return parseText(bytes.toString('utf8'))
}

/** The same of a text. */
export function parseText(text: string): Value {
  return LONG_NUMBER.test(text) ? ((JSON.parse as Parse)(text, reviveInteger) as Value) : (JSON.parse(text) as Value)
}

function reviveInteger(_key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  return context.source !== undefined && /^-?[0-9]+$/.test(context.source) ? BigInt(context.source) : value
}

/** The object in stored bytes; undefined where they are no object with metadata. */
export function parseStored(bytes: Buffer): ApiObject | undefined {
  return parseStoredText(bytes.toString('utf8'))
}

/** The same of a text. */
export function parseStoredText(text: string): ApiObject | undefined {
  try {
    const value = parseText(text)
    return isMap(value) && isMap(value['metadata']) ? (value as ApiObject) : undefined
  } catch {
    return undefined
  }
}

/** How objects of a type are written; absent: in their own order of keys. */
export type EncodeText = (object: ApiObject) => string

/** How they are read; undefined as in `parseStored`. */
export type ParseObject = (bytes: Buffer) => ApiObject | undefined

/** Canonical bytes: no blanks, and without what the server adds when it serves. */
export function encodeStored(object: ApiObject, encode: EncodeText = stringifyJson): Buffer {
  const isBare = !('resourceVersion' in object.metadata || 'selfLink' in object.metadata)
  return Buffer.from(encode(isBare ? object : bare(object)))
}

function bare(object: ApiObject): ApiObject {
  const { resourceVersion: _version, selfLink: _link, ...metadata } = object.metadata
  return { ...object, metadata }
}

/** Compact JSON text; what `JSON.stringify` gives, with integers of any size. */
export function stringifyJson(value: Value): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return JSON.stringify(value, (_key, member: unknown) =>
      typeof member === 'bigint' ? rawJson(String(member)) : member,
    )
  }
}

/** Puts text into JSON output as it stands. */
function rawJson(text: string): unknown {
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text)
}
