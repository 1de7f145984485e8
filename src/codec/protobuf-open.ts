// Messages during decoding. A field of protobuf may come in several parts, which are merged. So objects are made only after the complete
// message is read. They have the order and the omissions of JSON.
import { setOwn, type Value } from '../api/value.ts'
import type { Field, ObjectShape, Shape } from '../schema/table.ts'
import { zeroOf as jsonZeroOf } from '../schema/zero-value.ts'

/** One slot for each field of the object. */
export type OpenMessage = (OpenValue | undefined)[]
export type OpenValue = Value | OpenMessage | OpenList | OpenMap

export class OpenList {
  readonly items: OpenValue[] = []
}

export class OpenMap {
  readonly entries: [key: string, value: OpenValue][] = []
}

export function openMessage(shape: ObjectShape): OpenMessage {
  const message: OpenMessage = []
  for (let i = 0; i < shape.fields.length; i++) message.push(undefined)
  return message
}

/** An empty message. It is shared, so that many empty messages cost nothing. */
export const EMPTY_MESSAGE: OpenMessage = Object.freeze([]) as unknown as OpenMessage

/** Makes objects from messages. Use one `MessageCloser` for each document: its empty objects are shared and never change. */
export class MessageCloser {
  readonly #zeros = new Map<ObjectShape, Value>()

  /** The object of a message, with the objects of the messages in it. */
  close(shape: ObjectShape, message: OpenMessage): Record<string, Value> {
    const object: Record<string, Value> = {}
    const { fields } = shape
    for (let i = 0; i < fields.length; i++) {
      const field = fields[i] as Field
      const open = message[i]
      const value = open === undefined ? this.#absent(field) : this.#field(field, open)
      if (value !== undefined) object[field.name] = value
    }
    return object
  }

  /** The value of a field that was sent. Undefined: JSON leaves the field out. */
  #field(field: Field, open: OpenValue): Value | undefined {
    if (typeof open !== 'object' || open === null) {
      const isZero = open === '' || open === 0 || open === false
      if (isZero && !field.pointer && field.omit !== 'never' && isPlain(field.shape)) return undefined
      return open === null && field.omit === 'zero' ? undefined : open
    }
    return this.#value(field.shape, open)
  }

  #value(shape: Shape, open: OpenValue): Value {
    if (typeof open !== 'object' || open === null) return open
    if (open instanceof OpenList) {
      const item = shape.kind === 'list' ? shape.item : innerSchema(shape)
      return open.items.map((value) => this.#value(item, value))
    }
    if (open instanceof OpenMap) {
      const object: Record<string, Value> = {}
      const value = shape.kind === 'map' ? shape.value : shape
      for (const [key, entry] of open.entries) setOwn(object, key, this.#value(value, entry))
      return object
    }
    const inner = innerSchema(shape)
    // Other values were sent as JSON.
    if (inner.kind !== 'object') return open as Value
    return open === EMPTY_MESSAGE ? this.#zero(inner) : this.close(inner, open as OpenMessage)
  }

  /** The value of a field that was not sent. Undefined: JSON leaves the field out. */
  #absent({ shape, pointer, omit }: Field): Value | undefined {
    if (pointer) return omit === 'never' ? null : undefined
    if (omit === 'absent') return undefined
    const mayBeMissing = isPlain(shape) || shape.kind === 'list' || shape.kind === 'map'
    return omit === (mayBeMissing ? 'empty' : 'zero') ? undefined : this.#zero(shape)
  }

  /** The reference's value for a field that was never set. */
  #zero(shape: Shape): Value {
    if (shape.kind !== 'object') return zeroOf(shape)
    const known = this.#zeros.get(shape)
    if (known !== undefined) return known
    const zero = this.close(shape, EMPTY_MESSAGE)
    this.#zeros.set(shape, zero)
    return zero
  }
}

/** The schema of a shape, or the shape itself. */
function innerSchema(shape: Shape): Shape {
  return shape.kind === 'schemaOrArray' || shape.kind === 'schemaOrBool' || shape.kind === 'schemaOrStringArray'
    ? (shape.schema ?? shape)
    : shape
}

/** Whether a zero counts as unset. It does for kinds that are not structs in the reference. */
function isPlain({ kind }: Shape): boolean {
  switch (kind) {
    case 'string':
    case 'int32':
    case 'int64':
    case 'boolean':
    case 'number':
    case 'bytes':
      return true
    default:
      return false
  }
}

/** The zero value of a shape that is not an object. */
export function zeroOf(shape: Exclude<Shape, ObjectShape>): Value {
  return shape.kind === 'schemaOrBool' ? false : jsonZeroOf(shape)
}
