// The type of a node of a structural schema (P-336), with the largest size that its values can have in one request. Cost estimates, by
// which rules are refused, use these sizes (P-339).
import { escapeName, RESERVED_NAMES } from './escape.ts'
import { isJsonMap, type Json, type JsonMap, member } from './json.ts'
import { BOOL, type Bounds, type ObjectField, type ObjectType, STRING, type Type } from './type.ts'

const MAX_REQUEST_BYTES = 3 * 1024 * 1024
/** The size of `""`, `{}` and `[]`. */
const EMPTY_BYTES = 2
const MIN_NUMBER_BYTES = 1
const MIN_BOOL_BYTES = 4
const TEXT_FORMATS: Readonly<Record<string, { kind: 'timestamp' | 'duration'; bounds: Bounds }>> = {
  duration: { kind: 'duration', bounds: { minBytes: 3, maxSize: 32 } },
  date: { kind: 'timestamp', bounds: { minBytes: 12, maxSize: 12 } },
  'date-time': { kind: 'timestamp', bounds: { minBytes: 21, maxSize: 32 } },
}
/** A character may take this many bytes. */
const BYTES_PER_CHARACTER = 4

/**
 * Undefined: expressions cannot see the node, because it has no known type, or no schema for its content. The root of a resource (also an
 * embedded one) always shows `apiVersion`, `kind`, `metadata.name` and `metadata.generateName`. Names have the lengths of level 1.37 at both
 * levels: at 1.36 the reference takes them to be as long as a request, so it refuses more rules about names.
 */
export function typeOfSchema(schema: JsonMap, isResourceRoot: boolean): Type | undefined {
  return typeOf(schema, isResourceRoot, SELF)
}

/** Objects are named after their place, so objects of two places have two types. The reference has a random number instead of the 0. */
const SELF = 'selfType0'

function typeOf(schema: JsonMap, isResourceRoot: boolean, name: string): Type | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) {
    return { kind: 'dyn', bounds: { minBytes: MIN_NUMBER_BYTES, maxSize: textSize(schema) } }
  }
  switch (schema.type) {
    case 'array':
      return listType(schema, name)
    case 'object':
      return isJsonMap(schema.additionalProperties) ? mapType(schema, name) : objectType(schema, isResourceRoot, name)
    case 'string':
      return textType(schema)
    case 'boolean':
      return { ...BOOL, bounds: { minBytes: MIN_BOOL_BYTES, maxSize: 0 } }
    case 'number':
      return { kind: 'double', bounds: { minBytes: MIN_NUMBER_BYTES, maxSize: 0 } }
    case 'integer':
      return { kind: 'int', bounds: { minBytes: MIN_NUMBER_BYTES, maxSize: 0 } }
    default:
      return undefined
  }
}

function inner(schema: Json | undefined, name: string): Type | undefined {
  if (!isJsonMap(schema)) return undefined
  return typeOf(schema, schema['x-kubernetes-embedded-resource'] === true, name)
}

function listType(schema: JsonMap, name: string): Type | undefined {
  const item = inner(schema.items, `${name}.@idx`)
  if (item === undefined) return undefined
  const maxSize = limit(schema.maxItems) ?? Math.floor((MAX_REQUEST_BYTES - 2) / (minBytes(item) + 1))
  const semantics = schema['x-kubernetes-list-type']
  const keys = schema['x-kubernetes-list-map-keys']
  return {
    kind: 'list',
    item,
    bounds: { maxSize, minBytes: EMPTY_BYTES },
    ...(semantics === 'set' || semantics === 'map' ? { semantics } : {}),
    ...(Array.isArray(keys) ? { keys: keys.filter((key) => typeof key === 'string') } : {}),
  }
}

function mapType(schema: JsonMap, name: string): Type | undefined {
  const value = inner(schema.additionalProperties, `${name}.@elem`)
  if (value === undefined) return undefined
  // Each member takes two quotes, a colon, a comma and at least two characters of key.
  const maxSize = limit(schema.maxProperties) ?? Math.floor((MAX_REQUEST_BYTES - 2) / (minBytes(value) + 6))
  return { kind: 'map', key: MEMBER_NAME, value, bounds: { maxSize, minBytes: EMPTY_BYTES } }
}

/** The reference counts nothing for the length of a key. */
const MEMBER_NAME: Type = { ...STRING, bounds: { minBytes: EMPTY_BYTES, maxSize: 0 } }

/** The length of a DNS subdomain. A generated name is longer than its prefix. */
const MAX_NAME = 253
const MAX_NAME_PREFIX = MAX_NAME - 1

/** The members of a resource. The schema may allow shorter names only. */
function resourceMembers({ metadata }: JsonMap): JsonMap {
  const declared = isJsonMap(metadata) && isJsonMap(metadata.properties) ? metadata.properties : {}
  const name = (given: Json | undefined, most: number): JsonMap => {
    const own = isJsonMap(given) ? limit(given.maxLength) : undefined
    return { type: 'string', maxLength: Math.min(own ?? most, most) }
  }
  const names = {
    name: name(declared.name, MAX_NAME),
    generateName: name(declared.generateName, MAX_NAME_PREFIX),
  }
  return { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: { type: 'object', properties: names } }
}

/** Fields whose names are reserved words are found under their escaped names and under their own names. */
class SchemaFields extends Map<string, ObjectField> {
  override get(name: string): ObjectField | undefined {
    return super.get(name) ?? (RESERVED_NAMES.has(name) ? super.get(`__${name}__`) : undefined)
  }
}

function objectType(schema: JsonMap, isResourceRoot: boolean, ownName: string): ObjectType {
  const own = isJsonMap(schema.properties) ? schema.properties : {}
  const properties = isResourceRoot ? { ...own, ...resourceMembers(own) } : own
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  const fields = new SchemaFields()
  let least = EMPTY_BYTES
  for (const [name, node] of Object.entries(properties)) {
    const escaped = escapeName(name)
    const type = inner(node, `${ownName}.${escaped}`)
    if (type === undefined || !isJsonMap(node)) continue
    if (escaped !== undefined) fields.set(escaped, { type, member: name })
    if (required.has(name) && member(node, 'default') === undefined) least += name.length + minBytes(type) + 4
  }
  return { kind: 'object', name: ownName, fields, bounds: { minBytes: least, maxSize: 0 } }
}

function textType(schema: JsonMap): Type {
  const format = typeof schema.format === 'string' ? schema.format : ''
  const known = Object.hasOwn(TEXT_FORMATS, format) ? TEXT_FORMATS[format] : undefined
  if (known !== undefined) return known
  if (format === 'byte') {
    const maxSize = limit(schema.maxLength) ?? MAX_REQUEST_BYTES - EMPTY_BYTES
    return { kind: 'bytes', bounds: { minBytes: EMPTY_BYTES, maxSize } }
  }
  return { kind: 'string', bounds: { minBytes: EMPTY_BYTES, maxSize: textSize(schema) } }
}

function textSize(schema: JsonMap): number {
  const maxLength = limit(schema.maxLength)
  if (maxLength !== undefined) return maxLength * BYTES_PER_CHARACTER
  const texts = Array.isArray(schema.enum) ? schema.enum.filter((value) => typeof value === 'string') : []
  if (texts.length === 0 || schema['x-kubernetes-int-or-string'] === true) return MAX_REQUEST_BYTES - EMPTY_BYTES
  return texts.reduce((most, text) => Math.max(most, Buffer.byteLength(text)), 0)
}

function limit(value: Json | undefined): number | undefined {
  return typeof value === 'number' || typeof value === 'bigint' ? Math.max(0, Number(value)) : undefined
}

function minBytes(type: Type): number {
  return 'bounds' in type && type.bounds !== undefined ? type.bounds.minBytes : EMPTY_BYTES
}
