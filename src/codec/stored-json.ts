// Objects to stored JSON and back. Integers beyond 2^53 are `bigint` (D19). Objects are validated before they are stored. The types of the
// fields of built-in kinds are checked again when they are read.
import { jsonOrAbsent, jsonText, parseJsonText } from '../api/json-text.ts'
import type { ApiObject } from '../api/object.ts'
import { isMap } from '../api/value.ts'
import type { Value } from '../api/value.ts'
import { withRightTypes } from '../schema/stored-types.ts'

/** Throws `SyntaxError` if the bytes are not JSON. */
export function parseStoredJson(bytes: Buffer): Value {
  return parseJsonText(bytes.toString('utf8'))
}

/** The object in stored bytes. Undefined: they are not an object with metadata. */
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

/** Writes an object of a type for the store. Absent: in its own order of keys. */
export type EncodeText = (object: ApiObject) => string

/** Reads a stored object. Undefined as in `parseStored`. */
export type ParseObject = (bytes: Buffer) => ApiObject | undefined

/** Canonical bytes: no blanks, and no members that the server adds when it serves the object. */
export function encodeStored(object: ApiObject, encode: EncodeText = jsonText): Buffer {
  const isBare = !('resourceVersion' in object.metadata || 'selfLink' in object.metadata)
  return Buffer.from(encode(isBare ? object : bareObject(object)))
}

/** The object without the members that the server adds when it serves it. */
function bareObject(object: ApiObject): ApiObject {
  const { resourceVersion: _version, selfLink: _link, ...metadata } = object.metadata
  return { ...object, metadata }
}
