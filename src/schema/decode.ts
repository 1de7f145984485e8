// Decodes JSON values to canonical objects of a built-in kind. Types are checked with the reference's messages, and scalars get their
// canonical form. Members are omitted or filled in as in the reference's JSON. Unknown fields are dropped and reported.
import { quoted } from '../api/field-error.ts'
import { isList, isMap, own, type Value, type ValueMap, setOwn } from '../api/value.ts'
import { ScalarFaultError, decodeScalar, typeOf } from './decode-scalars.ts'
import { ExactMap, type ExactValue, plainValue, type SourceValue } from './exact-value.ts'
import { goFieldPath, goType } from './go-field-path.ts'
import { unmarshalFault } from './unmarshaled-scalars.ts'
import {
  areTexts,
  nullIfEmpty,
  firstMembers,
  isEmptySource,
  isSamePart,
  isSourceMap,
  isTypeMeta,
  MAX_CHARACTERS,
} from './source-parts.ts'
import type { ListShape, MapShape, ObjectShape, OpaqueShape, Shape } from './table.ts'
import { isOmitted, shownFields, zeroOf, zeroOfField } from './zero-value.ts'

export interface Decoded {
  readonly value: ValueMap
  /** Unknown and repeated members in document order: `unknown field "spec.foo"`. Each is reported once, and at most a hundred are. */
  readonly problems: readonly string[]
}

/** A value of the wrong type, or an invalid text. The message is the reference's. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError'
}

/** The reference reports at most this number of problems. */
const MAX_PROBLEMS = 100

/**
 * The canonical object of a document. `null` is an empty object. Throws `DecodeError`. If the document is a part of another document, `at`
 * is its path there: all paths in problems begin with it.
 */
export function decodeObject(source: SourceValue, shape: ObjectShape, at = ''): Decoded {
  return new Decoder(shape, undefined, at).read(source)
}

/** Decodes a document that was made from the canonical object `known`. Parts that it shares with `known` are not decoded again. */
export function decodeChanged(source: SourceValue, shape: ObjectShape, known: ValueMap | undefined): Decoded {
  return new Decoder(shape, known).read(source)
}

/** Decodes one document. When a fault is thrown, `#fields` has its place for the message. */
class Decoder {
  readonly #root: ObjectShape
  /** The value of the canonical object at the current place. If the document has the identical value there, it is canonical too. */
  #known: Value | undefined
  #zeros: Map<ObjectShape, ValueMap> | undefined
  readonly #problems: string[] = []
  readonly #reported = new Set<string>()
  #characters = 0
  /** The place in type errors: names of fields, without indices and keys of maps. */
  readonly #fields: string[] = []
  /** The place in problems: fields, indices and keys. */
  readonly #path: (string | number)[] = []
  /** True within values in which the reference does not report unknown and repeated members. */
  #lenient = false
  #exact = false

  constructor(root: ObjectShape, known: ValueMap | undefined, at = '') {
    this.#root = root
    this.#known = known
    if (at !== '') this.#path.push(at)
  }

  /** Throws a `DecodeError` for the first fault in the document. */
  read(source: SourceValue): Decoded {
    this.#exact = source instanceof ExactMap
    try {
      return { value: this.#object(this.#root, source), problems: this.#problems }
    } catch (error) {
      throw error instanceof ScalarFaultError ? this.#errorOf(error, source) : error
    }
  }

  #errorOf(error: ScalarFaultError, source: SourceValue): DecodeError {
    const { fault, fields } = unmarshalFault(this.#root, source) ?? { fault: error.fault, fields: this.#fields }
    if (fault.kind === 'text') return new DecodeError(fault.message)
    const place = goFieldPath(this.#root, fields, fault.wanted)
    return new DecodeError(`json: cannot unmarshal ${fault.found} into Go ${place}`)
  }

  #valueOf(shape: Shape, source: SourceValue): Value {
    switch (shape.kind) {
      case 'object':
        return this.#object(shape, source)
      case 'list':
        return this.#list(shape, source)
      case 'map':
        return this.#map(shape, source)
      case 'any':
      case 'rawExtension':
      case 'fieldsV1':
        return this.#plain(source)
      case 'schemaOrArray':
      case 'schemaOrBool':
      case 'schemaOrStringArray':
        return this.#schemaOr(shape, source)
      default:
        return source === null ? zeroOf(shape) : decodeScalar(shape.kind, source)
    }
  }

  #object(shape: ObjectShape, source: SourceValue): ValueMap {
    if (source === null) return this.#zero(shape)
    if (!isSourceMap(source)) return this.#wrong(source, shape)
    const shown = shownFields(shape)
    if (shown.length > 0 && isEmptySource(source)) return this.#zero(shape)
    const out = source instanceof ExactMap ? this.#exactMembers(shape, source) : this.#members(shape, source)
    let complete: Record<string, Value> | undefined
    for (const field of shown) {
      if (out[field.name] !== undefined) continue
      complete ??= out === source ? { ...out } : out
      complete[field.name] = zeroOfField(field)
    }
    return complete ?? out
  }

  /** The zero of a shape. All empty objects of the document share it, because a list may have thousands. */
  #zero(shape: ObjectShape): ValueMap {
    this.#zeros ??= new Map()
    let zero = this.#zeros.get(shape)
    if (zero === undefined) this.#zeros.set(shape, (zero = zeroOf(shape) as ValueMap))
    return zero
  }

  /** The members in canonical form. Returns the same map if nothing changes, which is usual. */
  #members(shape: ObjectShape, source: ValueMap): Record<string, Value> {
    const keys = Object.keys(source)
    const known = this.#known
    const before = isMap(known) ? known : undefined
    let out: Record<string, Value> | undefined
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] ?? ''
      const member = source[key] ?? null
      this.#known = before && own(before, key)
      const value = isSamePart(member, this.#known) ? member : this.#member(shape, key, member)
      if (value === member && out === undefined) continue
      out ??= firstMembers(source, keys, i)
      if (value !== undefined) setOwn(out, key, value)
    }
    this.#known = known
    return out ?? source
  }

  #exactMembers(shape: ObjectShape, source: ExactMap): Record<string, Value> {
    const out: Record<string, Value> = {}
    const seen = new Set<string>()
    for (const [i, key] of source.keys.entries()) {
      // A repeated member that is unknown is reported only once, as unknown.
      if (seen.has(key) && (shape.byName.has(key) || isTypeMeta(shape, key))) this.#report('duplicate', key)
      seen.add(key)
      const value = this.#member(shape, key, source.values[i] ?? null)
      const before = Object.hasOwn(out, key) ? out[key] : undefined
      // The members of a repeated map or object are added to the earlier map or object, as in the reference.
      if (isMap(value) && isMap(before)) setOwn(out, key, { ...before, ...value })
      else if (value !== undefined) setOwn(out, key, value)
      else if (Object.hasOwn(out, key)) delete out[key]
    }
    return out
  }

  /** The canonical form of a member. Undefined: the canonical object does not have the member. */
  #member(shape: ObjectShape, key: string, source: SourceValue): Value | undefined {
    const field = shape.byName.get(key)
    if (field === undefined) {
      if (isTypeMeta(shape, key)) return this.#typeMeta(key, source)
      if (shape.preserveUnknown) return this.#plain(source)
      this.#report('unknown', key)
      return undefined
    }
    this.#fields.push(key)
    this.#path.push(key)
    const value = field.pointer && source === null ? null : this.#valueOf(field.shape, source)
    this.#path.pop()
    this.#fields.pop()
    return isOmitted(field, value) ? undefined : nullIfEmpty(field, value)
  }

  #typeMeta(key: string, source: SourceValue): Value | undefined {
    this.#fields.push(key)
    const text = source === null ? '' : decodeScalar('string', source)
    this.#fields.pop()
    return text === '' ? undefined : text
  }

  #list(shape: ListShape, source: SourceValue): Value {
    if (source === null) return null
    if (!Array.isArray(source)) return this.#wrong(source, shape)
    const items = source as readonly SourceValue[]
    const known = this.#known
    const before = isList(known) ? known : undefined
    let out: Value[] | undefined
    this.#path.push(0)
    for (let i = 0; i < items.length; i++) {
      this.#path[this.#path.length - 1] = i
      const item = items[i] ?? null
      this.#known = before?.[i]
      const value = isSamePart(item, this.#known) ? item : this.#valueOf(shape.item, item)
      if (out === undefined && value !== item) out = items.slice(0, i) as Value[]
      out?.push(value)
    }
    this.#known = known
    this.#path.pop()
    return out ?? (items as readonly Value[])
  }

  #map(shape: MapShape, source: SourceValue): Value {
    if (source === null) return null
    if (!isSourceMap(source)) return this.#wrong(source, shape)
    const exact = source instanceof ExactMap ? source : undefined
    const keys = exact?.keys ?? Object.keys(source)
    const known = this.#known
    const before = isMap(known) ? known : undefined
    if (shape.value.kind === 'string' && exact === undefined && areTexts(source as ValueMap, keys))
      return source as Value
    let out: Record<string, Value> | undefined = exact && {}
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] ?? ''
      const member = (exact === undefined ? (source as ValueMap)[key] : exact.values[i]) ?? null
      if (exact !== undefined && out !== undefined && Object.hasOwn(out, key)) this.#report('duplicate', key)
      this.#path.push(key)
      this.#known = before && own(before, key)
      const value = isSamePart(member, this.#known) ? member : this.#mapValue(shape, member)
      this.#path.pop()
      if (out === undefined && value === member) continue
      out ??= firstMembers(source as ValueMap, keys, i)
      setOwn(out, key, value)
    }
    this.#known = known
    return out ?? (source as ValueMap)
  }

  /** A null in a map of bytes becomes empty bytes in storage. */
  #mapValue(shape: MapShape, source: SourceValue): Value {
    return source === null && shape.value.kind === 'bytes' ? '' : this.#valueOf(shape.value, source)
  }

  #schemaOr(shape: OpaqueShape, source: SourceValue): Value {
    const { schema } = shape
    if (source === null || schema === undefined) return this.#plain(source)
    const lenient = this.#lenient
    this.#lenient = true
    try {
      if (isSourceMap(source)) return this.#object(schema, source)
      if (typeof source === 'boolean' && shape.kind === 'schemaOrBool') return source
      if (shape.kind === 'schemaOrBool') throw new DecodeError('boolean or JSON schema expected')
      if (!Array.isArray(source)) return null
      const items = source as readonly SourceValue[]
      if (shape.kind === 'schemaOrStringArray') return items.map((item) => decodeScalar('string', item ?? ''))
      return items.map((item) => this.#object(schema, item))
    } finally {
      this.#lenient = lenient
    }
  }

  /** A value that is kept unchanged. */
  #plain(source: SourceValue): Value {
    return this.#exact ? plainValue(source as ExactValue) : (source as Value)
  }

  #wrong(source: SourceValue, shape: Shape): never {
    throw new ScalarFaultError({ kind: 'type', found: typeOf(source), wanted: goType(shape) })
  }

  #report(kind: 'unknown' | 'duplicate', key: string): void {
    if (this.#lenient || this.#problems.length >= MAX_PROBLEMS || this.#characters > MAX_CHARACTERS) return
    let path = ''
    for (const part of this.#path) path += typeof part === 'number' ? `[${part}]` : path === '' ? part : `.${part}`
    const problem = `${kind} field ${quoted(path === '' ? key : `${path}.${key}`)}`
    if (this.#reported.has(problem)) return
    this.#reported.add(problem)
    this.#characters += problem.length
    this.#problems.push(problem)
  }
}
