// Objects to stored JSON and back. Integers beyond 2^53 are `bigint` (D19). What is stored was checked when it was written; that the
// fields of built-in kinds have their types is looked at all the same.
import { jsonOrAbsent, jsonText, parseJsonText } from '../api/json-text.ts'
import type { ApiObject } from '../api/object.ts'
import { isMap } from '../api/value.ts'
import type { Value } from '../api/value.ts'
import { withRightTypes } from '../schema/stored-types.ts'

/** Throws `SyntaxError` for what is not JSON. */
export function parseStoredJson(bytes: Buffer): Value {
  return parseJsonText(bytes.toString('utf8'))
}

/** The object in stored bytes; undefined where they are no object with metadata. */
export function parseStored(bytes: Buffer): ApiObject | undefined {
  return parseStoredText(bytes.toString('utf8'))
}

export function parseStoredText(text: string): ApiObject | undefined {
  const value = parseAsItIs(text)
  return value && (withRightTypes(value) as ApiObject)
}

/** The same with the types that it has in the store. */
export function parseAsItIs(text: string): ApiObject | undefined {
  const value = jsonOrAbsent(text)
  return isMap(value) && isMap(value['metadata']) ? (value as ApiObject) : undefined
}

/** How objects of a type are written; absent: in their own order of keys. */
export type EncodeText = (object: ApiObject) => string

/** How they are read; undefined as in `parseStored`. */
export type ParseObject = (bytes: Buffer) => ApiObject | undefined

/** Canonical bytes: no blanks, and without what the server adds when it serves. */
export function encodeStored(object: ApiObject, encode: EncodeText = jsonText): Buffer {
  const isBare = !('resourceVersion' in object.metadata || 'selfLink' in object.metadata)
  return Buffer.from(encode(isBare ? object : bareObject(object)))
}

/** Without what the server adds when it serves. */
function bareObject(object: ApiObject): ApiObject {
  const { resourceVersion: _version, selfLink: _link, ...metadata } = object.metadata
  return { ...object, metadata }
}
