// Converts JSON to CEL values and back. JSON is read as its declared type, and only when an expression uses it.
import { type Json, type JsonMap, setMember } from './json.ts'
import { formatDuration, formatTimestamp, parseDate, readDuration } from './time.ts'
import { DYN, type ListType, type MapType, type ObjectType, type Type } from './type.ts'
import { CelList, CelMap, type CelValue, Duration, NamedMap, Optional, Timestamp, Uint } from './value.ts'

const MAX_INT = 2n ** 63n - 1n

export function adapt(json: Json, type: Type): CelValue {
  switch (typeof json) {
    case 'boolean':
      return json
    case 'string':
      return adaptText(json, type)
    case 'number':
      if (type.kind === 'double' || !Number.isSafeInteger(json)) return json
      return BigInt(json)
    case 'bigint':
      if (type.kind === 'double') return Number(json)
      return json > MAX_INT || json < -MAX_INT - 1n ? Number(json) : json
    default:
      if (json === null) return null
      if (isJsonList(json)) return new JsonList(json, type.kind === 'list' ? type : undefined)
      if (type.kind === 'object') return new JsonObject(json, type)
      return new JsonDictionary(json, type.kind === 'map' ? type : undefined)
  }
}

function isJsonList(json: readonly Json[] | JsonMap): json is readonly Json[] {
  return Array.isArray(json)
}

function adaptText(text: string, type: Type): CelValue {
  switch (type.kind) {
    case 'timestamp':
      return parseDate(text)
    case 'duration':
      return readDuration(text)
    case 'bytes':
      return Buffer.from(text, 'base64')
    default:
      return text
  }
}

export class JsonList extends CelList {
  readonly json: readonly Json[]
  override readonly type: ListType | undefined

  constructor(json: readonly Json[], type: ListType | undefined) {
    super()
    this.json = json
    this.type = type
  }

  get size(): number {
    return this.json.length
  }

  at(index: number): CelValue {
    return adapt(this.json[index] ?? null, this.type?.item ?? DYN)
  }

  *[Symbol.iterator](): Generator<CelValue> {
    const item = this.type?.item ?? DYN
    for (const json of this.json) yield adapt(json, item)
  }
}

/** A map with the keys that the JSON has. */
class JsonDictionary extends CelMap {
  readonly json: JsonMap
  readonly #value: Type

  constructor(json: JsonMap, type: MapType | undefined) {
    super()
    this.json = json
    this.#value = type?.value ?? DYN
  }

  get size(): number {
    return Object.keys(this.json).length
  }

  get(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.json, key)) return undefined
    const json = this.json[key]
    return json === undefined ? undefined : adapt(json, this.#value)
  }

  keys(): Iterable<string> {
    return Object.keys(this.json)
  }
}

/**
 * An object of a declared type: expressions see only its declared fields, and equality compares the other members too. A field that is null
 * is like an absent one.
 */
class JsonObject extends NamedMap {
  readonly json: JsonMap
  readonly type: ObjectType

  constructor(json: JsonMap, type: ObjectType) {
    super()
    this.json = json
    this.type = type
  }

  get typeName(): string {
    return this.type.name
  }

  get size(): number {
    return [...this.keys()].length
  }

  get(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string') return undefined
    const field = this.type.fields.get(key)
    if (field === undefined || !Object.hasOwn(this.json, field.member)) return undefined
    const json = this.json[field.member]
    return json === undefined || json === null ? undefined : adapt(json, field.type)
  }

  *keys(): Generator<string> {
    for (const [name, { member }] of this.type.fields) if (Object.hasOwn(this.json, member)) yield name
  }

  override get hidden(): CelMap | undefined {
    if (Object.keys(this.json).length === this.size) return undefined
    const declared = new Set([...this.type.fields].map(([, { member }]) => member))
    const others = Object.entries(this.json).filter(([name]) => !declared.has(name))
    return new JsonDictionary(Object.fromEntries(others), undefined)
  }
}

/** Objects of the API are not nested deeper than this. */
const MAX_DEPTH = 200

/** Undefined: the value has no form in JSON. */
export function toJson(value: CelValue, depth = 0): Json | undefined {
  if (depth > MAX_DEPTH) return undefined
  switch (typeof value) {
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? Number(value) : value
    case 'number':
      return Number.isFinite(value) ? value : undefined
    case 'string':
    case 'boolean':
      return value
    default:
      return objectToJson(value, depth)
  }
}

function objectToJson(value: Exclude<CelValue, boolean | string | bigint | number>, depth: number): Json | undefined {
  if (value === null) return null
  if (value instanceof JsonList || value instanceof JsonDictionary || value instanceof JsonObject) return value.json
  if (value instanceof CelList) return listToJson(value, depth)
  if (value instanceof CelMap) return mapToJson(value, depth)
  if (value instanceof Uint) return toJson(value.value, depth)
  if (value instanceof Timestamp) return formatTimestamp(value)
  if (value instanceof Duration) return formatDuration(value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (value instanceof Optional) return value.value === undefined ? null : toJson(value.value, depth + 1)
  return undefined
}

function listToJson(list: CelList, depth: number): Json | undefined {
  const items: Json[] = []
  for (const item of list) {
    const json = toJson(item, depth + 1)
    if (json === undefined) return undefined
    items.push(json)
  }
  return items
}

function mapToJson(map: CelMap, depth: number): Json | undefined {
  const members: Record<string, Json> = {}
  for (const key of map.keys()) {
    const json = toJson(map.get(key) ?? null, depth + 1)
    const name = key instanceof Uint ? String(key.value) : key
    if (json === undefined || typeof name === 'object') return undefined
    setMember(members, String(name), json)
  }
  return members
}
