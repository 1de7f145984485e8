// Prunes and reports fields that the schema of a custom kind does not have. Types are not checked: if a value does not have the type in the
// schema, its members are pruned, and validation reports the type later.
import { invalid, quoted, shownMap } from '../api/field-error.ts'
import { FieldPath } from '../api/field-path.ts'
import { type Value, type ValueMap, isList, isMap, own, setOwn } from '../api/value.ts'
import { typeOf } from './decode-scalars.ts'
import { type Decoded, DecodeError, decodeObject } from './decode.ts'
import type { Field, ObjectShape, Shape } from './table.ts'

interface Pruned {
  readonly value: ValueMap
  /** `unknown field "spec.foo"`: pruned fields, sorted, then unknown fields in the metadata of embedded objects. */
  readonly problems: readonly string[]
}

const MAX_PROBLEMS = 100

/** The members that every object has, even if its schema does not name them. */
const RESOURCE_MEMBERS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata'])

/**
 * Drops fields that the schema of a custom kind does not have. The caller handles the object's own metadata. The metadata of embedded
 * objects is decoded by the shape `metadata`. If decoding fails, this metadata is kept unchanged, or refused with a `DecodeError`. If
 * nothing changes, the same object is returned.
 */
export function pruneUnknown(
  object: ValueMap,
  shape: ObjectShape,
  metadata: ObjectShape,
  wrongMetadata: 'keep' | 'refuse' = 'keep',
): Pruned {
  const pruner = new Pruner(metadata, wrongMetadata)
  const value = pruner.map(object, shape)
  return { value, problems: pruner.problems() }
}

/**
 * Decodes an object of a custom kind. `duplicates` are the paths of repeated members, in document order. The problems have this order:
 * repeated members, unknown members of the metadata, pruned members, unknown members of embedded metadata (W-414, W-416). Throws
 * `DecodeError` if the metadata of the object, or of an embedded object, has a wrong type (W-440).
 */
export function decodeCustom(
  { value, duplicates }: { readonly value: ValueMap; readonly duplicates: readonly string[] },
  { shape, metadata }: { readonly shape: ObjectShape; readonly metadata: ObjectShape },
): Decoded {
  const meta = decodeObject(own(value, 'metadata') ?? null, metadata, 'metadata')
  const pruned = pruneUnknown(value, shape, metadata, 'refuse')
  const repeated = duplicates.map((path) => `duplicate field ${quoted(path)}`)
  const object: Record<string, Value> = {}
  for (const [key, member] of Object.entries(pruned.value))
    setOwn(object, key, key === 'metadata' ? meta.value : member)
  return { value: object, problems: [...repeated, ...meta.problems, ...pruned.problems] }
}

/** A key of a map, whose type has no member of this name. */
interface MapKey {
  readonly key: string
}

/** Prunes one object. The text of the path is made only when a field is dropped. */
class Pruner {
  readonly #metadata: ObjectShape
  readonly #path: (string | number | MapKey)[] = []
  readonly #dropped: string[] = []
  readonly #embedded: string[] = []

  readonly #wrongMetadata: 'keep' | 'refuse'

  constructor(metadata: ObjectShape, wrongMetadata: 'keep' | 'refuse') {
    this.#metadata = metadata
    this.#wrongMetadata = wrongMetadata
  }

  problems(): readonly string[] {
    if (this.#dropped.length === 0 && this.#embedded.length === 0) return this.#dropped
    const unknown = this.#dropped.sort().map((path) => `unknown field ${quoted(path)}`)
    return [...unknown, ...this.#embedded].slice(0, MAX_PROBLEMS)
  }

  map(map: ValueMap, shape: ObjectShape): ValueMap {
    let out: Record<string, Value> | undefined
    const keys = Object.keys(map)
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] ?? ''
      const member = map[key] ?? null
      const field = shape.byName.get(key)
      const isKept = field !== undefined || shape.preserveUnknown || (shape.typeMeta && RESOURCE_MEMBERS.has(key))
      this.#path.push(key)
      const value =
        shape.typeMeta && RESOURCE_MEMBERS.has(key) ? this.#ofResource(key, member) : this.#known(member, field)
      if (!isKept) this.#dropped.push(this.#place())
      this.#path.pop()
      if (isKept && value === member && out === undefined) continue
      if (out === undefined) {
        out = {}
        for (let j = 0; j < i; j++) setOwn(out, keys[j] ?? '', map[keys[j] ?? ''] ?? null)
      }
      if (isKept) setOwn(out, key, value)
    }
    return out ?? map
  }

  #known(value: Value, field: Field | undefined): Value {
    if (field === undefined || typeof value !== 'object' || value === null) return value
    return this.#value(value, field.shape)
  }

  /** The kind, apiVersion or metadata of an embedded object. The caller handles these members of the object itself. */
  #ofResource(key: string, value: Value): Value {
    if (this.#path.length === 1) return value
    if (key === 'metadata') return this.#embeddedMetadata(value)
    if (typeof value !== 'string' && this.#wrongMetadata === 'refuse') throw this.#wrong(value, 'must be a string')
    return value
  }

  #embeddedMetadata(value: Value): Value {
    if (value === null) return value
    if (!isMap(value)) {
      if (this.#wrongMetadata === 'keep') return value
      throw this.#wrong(value, `json: cannot unmarshal ${typeOf(value)} into Go value of type v1.ObjectMeta`)
    }
    try {
      const decoded = decodeObject(value, this.#metadata, this.#place('[]'))
      this.#embedded.push(...decoded.problems)
      return decoded.value
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      if (this.#wrongMetadata === 'keep') return value
      throw this.#wrong(value, error.message)
    }
  }

  #wrong(value: Value, why: string): DecodeError {
    const fault = invalid(FieldPath.root(this.#place('[]')), isMap(value) ? shownMap(value) : value, why)
    return new DecodeError(`${fault.field}: ${fault.message}`)
  }

  /** Prunes a value. If the shape is undefined, the value has no schema. */
  #value(value: Value, shape: Shape | undefined): Value {
    if (shape?.kind === 'any') return shape.within === undefined ? value : this.#value(value, shape.within)
    const isMapped = isMap(value)
    if (!isMapped && !isList(value)) return value
    if (isMapped && shape?.kind === 'object') return this.map(value, shape)
    if (isMapped && shape?.kind === 'map') return this.#entries(value, shape.isOpen === true ? undefined : shape.value)
    if (!isMapped && shape?.kind === 'list') return this.#items(value, shape.item)
    if (shape !== undefined && 'preserveUnknown' in shape && shape.preserveUnknown) return value
    return isMapped ? this.#dropAll(value) : this.#items(value, undefined)
  }

  #dropAll(map: ValueMap): ValueMap {
    const keys = Object.keys(map)
    if (keys.length === 0) return map
    for (const key of keys) {
      this.#path.push(key)
      this.#dropped.push(this.#place())
      this.#path.pop()
    }
    return {}
  }

  #items(list: readonly Value[], shape: Shape | undefined): readonly Value[] {
    let out: Value[] | undefined
    this.#path.push(0)
    for (const [i, item] of list.entries()) {
      this.#path[this.#path.length - 1] = i
      const pruned = this.#value(item, shape)
      if (pruned === item) continue
      out ??= [...list]
      out[i] = pruned
    }
    this.#path.pop()
    return out ?? list
  }

  #entries(map: ValueMap, shape: Shape | undefined): ValueMap {
    let out: Record<string, Value> | undefined
    for (const key of Object.keys(map)) {
      const value = map[key] ?? null
      this.#path.push({ key })
      const pruned = this.#value(value, shape)
      this.#path.pop()
      if (pruned === value) continue
      if (out === undefined) {
        out = {}
        for (const name of Object.keys(map)) setOwn(out, name, map[name] ?? null)
      }
      setOwn(out, key, pruned)
    }
    return out ?? map
  }

  /** The path as a text. Keys are written unchanged, even if they contain dots. Paths of embedded metadata have keys in brackets. */
  #place(keys: '.' | '[]' = '.'): string {
    let path = ''
    for (const part of this.#path) {
      const name = typeof part === 'object' ? part.key : part
      const inBrackets = typeof part === 'number' || (typeof part === 'object' && keys === '[]')
      path += inBrackets ? `[${name}]` : path === '' ? name : `.${name}`
    }
    return path
  }
}
