// Converts objects to stored JSON and back. Integers beyond 2^53 are `bigint` (D19). Objects are validated before they are stored. When an
// object of a built-in kind is read, the types of its fields are checked again.
import { jsonOrAbsent, jsonText, parseJsonText } from '../api/json-text.ts'
import type { ApiObject } from '../api/object.ts'
import { isMap } from '../api/value.ts'
import type { Value } from '../api/value.ts'
import { withRightTypes } from '../schema/stored-types.ts'

/** Throws `SyntaxError` if the bytes are not JSON. */
export function parseStoredJson(bytes: Buffer): Value {
  return parseJsonText(bytes.toString('utf8'))
}

/** The object in stored bytes. Undefined: the bytes are not an object with metadata. */
export function parseStored(bytes: Buffer): ApiObject | undefined {
  return parseStoredText(bytes.toString('utf8'))
}

export function parseStoredText(text: string): ApiObject | undefined {
  const value = parseAsItIs(text)
  return value && (withRightTypes(value) as ApiObject)
}

/** The object in a stored text. The types of its fields are not checked. */
export function parseAsItIs(text: string): ApiObject | undefined {
  const value = jsonOrAbsent(text)
  return isMap(value) && isMap(value['metadata']) ? (value as ApiObject) : undefined
}

/** Writes an object for the store. Without such a function, an object is written in its own order of keys. */
export type EncodeText = (object: ApiObject) => string

/** Reads a stored object. Undefined: the bytes are not an object with metadata. */
export type ParseObject = (bytes: Buffer) => ApiObject | undefined

/** The canonical bytes of an object: without blanks, and without members that the server adds when it serves the object. */
export function encodeStored(object: ApiObject, encode: EncodeText = jsonText): Buffer {
  const isBare = !('resourceVersion' in object.metadata || 'selfLink' in object.metadata)
  return Buffer.from(encode(isBare ? object : bareObject(object)))
}

/** The object without the members that the server adds when it serves the object. */
function bareObject(object: ApiObject): ApiObject {
  const { resourceVersion: _version, selfLink: _link, ...metadata } = object.metadata
  return { ...object, metadata }
}
