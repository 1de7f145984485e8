// The values of expressions. Booleans, strings and null are JavaScript's. An int is a bigint, a double is a number, and bytes are a
// `Uint8Array`. The other values have the classes here. An error is a value too, so that `||` and `&&` can ignore it.
import type { ListType } from './type.ts'

export type CelValue =
  | boolean
  | string
  | bigint
  | number
  | null
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | CelList
  | CelMap
  | Optional
  | TypeValue
  | OpaqueValue
  | Fault

export class Uint {
  readonly value: bigint

  constructor(value: bigint) {
    this.value = value
  }
}

export class Timestamp {
  /** Since 1970, in nanoseconds. */
  readonly nanos: bigint
  /** The offset from UTC in the source text. The value is written with the same offset. */
  readonly offsetSeconds: number

  constructor(nanos: bigint, offsetSeconds = 0) {
    this.nanos = nanos
    this.offsetSeconds = offsetSeconds
  }
}

export class Duration {
  readonly nanos: bigint

  constructor(nanos: bigint) {
    this.nanos = nanos
  }
}

/** An error as a value. */
export class Fault {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

export class Optional {
  readonly value: CelValue | undefined

  constructor(value: CelValue | undefined) {
    this.value = value
  }
}

export const NONE = new Optional(undefined)

/** A type as a value: `int`, `type(x)`. */
export class TypeValue {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

export abstract class CelList {
  /** The declared type, with the rules of `list-rules.ts`. Absent: the order of the items counts. */
  readonly type?: ListType | undefined
  abstract readonly size: number
  /** The index must be within the list. */
  abstract at(index: number): CelValue
  abstract [Symbol.iterator](): Iterator<CelValue>
}

export abstract class CelMap {
  abstract readonly size: number
  abstract get(key: CelValue): CelValue | undefined
  abstract keys(): Iterable<CelValue>

  has(key: CelValue): boolean {
    return this.get(key) !== undefined
  }

  /** The members that expressions cannot see. They count for equality only. Undefined: there are none. */
  get hidden(): CelMap | undefined {
    return undefined
  }
}

/** A value of a library's own type. */
export abstract class OpaqueValue {
  abstract readonly typeName: string
  /** The size that counts for the cost of calls. */
  readonly size: number = 1
  abstract equals(other: OpaqueValue): boolean
}

export class ArrayList extends CelList {
  readonly items: readonly CelValue[]
  override readonly type: ListType | undefined

  constructor(items: readonly CelValue[], type?: ListType) {
    super()
    this.items = items
    this.type = type
  }

  get size(): number {
    return this.items.length
  }

  at(index: number): CelValue {
    return this.items[index] ?? null
  }

  [Symbol.iterator](): Iterator<CelValue> {
    return this.items[Symbol.iterator]()
  }
}

/** Two lists as one, made without copying: joined lists may be large. */
export class JoinedList extends CelList {
  readonly size: number
  readonly #left: CelList
  readonly #right: CelList

  constructor(left: CelList, right: CelList) {
    super()
    this.#left = left
    this.#right = right
    this.size = left.size + right.size
  }

  at(index: number): CelValue {
    return index < this.#left.size ? this.#left.at(index) : this.#right.at(index - this.#left.size)
  }

  *[Symbol.iterator](): Generator<CelValue> {
    const pending: CelList[] = [this]
    for (let list = pending.pop(); list !== undefined; list = pending.pop()) {
      if (list instanceof JoinedList) pending.push(list.#right, list.#left)
      else yield* list
    }
  }
}

/** A map that an expression made. Keys that are equal numbers are one key, even if their types differ. */
export class EntryMap extends CelMap {
  readonly #entries: ReadonlyMap<string, readonly [CelValue, CelValue]>

  constructor(entries: ReadonlyMap<string, readonly [CelValue, CelValue]>) {
    super()
    this.#entries = entries
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: CelValue): CelValue | undefined {
    const name = keyName(key)
    return name === undefined ? undefined : this.#entries.get(name)?.[1]
  }

  *keys(): Generator<CelValue> {
    for (const [key] of this.#entries.values()) yield key
  }
}

/** The identity of a key. Undefined: the value cannot be a key. */
export function keyName(key: CelValue): string | undefined {
  switch (typeof key) {
    case 'string':
      return `s${key}`
    case 'boolean':
      return `b${key}`
    case 'bigint':
      return `n${key}`
    case 'number':
      return Number.isInteger(key) ? `n${BigInt(key)}` : `d${key}`
    default:
      return key instanceof Uint ? `n${key.value}` : undefined
  }
}

/** The name of the type of a value, as `type(x)` and messages give it. */
export function typeNameOf(value: CelValue): string {
  switch (typeof value) {
    case 'boolean':
      return 'bool'
    case 'string':
      return 'string'
    case 'bigint':
      return 'int'
    case 'number':
      return 'double'
    default:
      return objectTypeName(value)
  }
}

type NotPrimitive = Exclude<CelValue, boolean | string | bigint | number>

function objectTypeName(value: NotPrimitive): string {
  if (value === null) return 'null_type'
  if (value instanceof CelList) return 'list'
  if (value instanceof CelMap) return value instanceof NamedMap ? value.typeName : 'map'
  if (value instanceof Uint8Array) return 'bytes'
  if (value instanceof Uint) return 'uint'
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp'
  if (value instanceof Duration) return 'google.protobuf.Duration'
  if (value instanceof Optional) return 'optional_type'
  if (value instanceof TypeValue) return 'type'
  return value instanceof OpaqueValue ? value.typeName : 'error'
}

/** A map with the fields of a declared type. */
export abstract class NamedMap extends CelMap {
  abstract readonly typeName: string
}

export const noSuchOverload = (): Fault => new Fault('no such overload')
export const noSuchKey = (key: CelValue): Fault => new Fault(`no such key: ${keyText(key)}`)

/** The text of a key in messages. */
export function keyText(key: CelValue): string {
  if (typeof key === 'object') return key instanceof Uint ? String(key.value) : typeNameOf(key)
  return String(key)
}
