// Encodes JSON values as protobuf messages by the schema table. The bytes are those of the reference: fields in ascending order of their
// numbers, zero values of fields that are not pointers, map entries sorted by key. Messages are written backwards (see `ProtobufWriter`).
import { jsonText } from '../api/json-text.ts'
import { isList, isMap, type Value, type ValueMap } from '../api/value.ts'
import { sortedKeys } from '../lib/text-order.ts'
import { parseDuration } from '../lib/duration.ts'
import type { MapShape, ObjectShape, OpaqueShape, Shape, WireField, WireMember, WireType } from '../schema/table.ts'
import { ProtobufError } from '../wire/protobuf-error.ts'
import { momentOf } from './protobuf-time.ts'
import { ProtobufWriter } from '../wire/protobuf-writer.ts'

/** The wire types of protobuf that are in use. */
const VARINT = 0
const FIXED64 = 1
const DELIMITED = 2

/** The facts about a field that the encoder needs. */
type Place = Pick<WireMember, 'number' | 'type'>

const EMPTY: ValueMap = Object.freeze({})

/** Writes each message in front of the bytes that are already written. Throws `ProtobufError` if a value does not fit its shape. */
export class ProtobufEncoder extends ProtobufWriter {
  /** Writes the fields of an object, without a tag or a length. */
  object(shape: ObjectShape, object: ValueMap): void {
    this.#fields(wireOf(shape), object)
  }

  /** Writes the fields of an object except the field `left`. */
  objectWithout(shape: ObjectShape, left: WireMember, object: ValueMap): void {
    this.#fields(
      wireOf(shape).filter((member) => member !== left),
      object,
    )
  }

  /** Writes a field with its tag. A list has a tag for each item. */
  #member(member: WireMember, value: Value): void {
    const { shape } = member.field
    if (member.type === 'map') return this.#map(member, shape, value)
    if (shape.kind !== 'list' || member.type === 'stringList') return this.#single(member, shape, value)
    if (!isList(value)) throw wrongValue(shape, value)
    for (let i = value.length - 1; i >= 0; i--) {
      const item = value[i]
      if (item === undefined || item === null) this.zeroField(member, shape.item)
      else this.#single(member, shape.item, item)
    }
  }

  /** Writes a text with its tag. */
  textField(number: number, text: string): void {
    const end = this.length
    this.text(text)
    this.close(number, end)
  }

  #fields(wire: readonly WireField[], object: ValueMap): void {
    for (let i = wire.length - 1; i >= 0; i--) {
      const member = wire[i] as WireField
      if (member.type === 'inline') {
        const end = this.length
        this.#fields(member.fields, object)
        this.close(member.number, end)
        continue
      }
      const { field } = member
      const value = object[field.name]
      if (value !== undefined && value !== null) this.#member(member, value)
      else if (!field.pointer) this.zeroField(member, field.shape)
    }
  }

  #single({ type, number }: Place, shape: Shape, value: Value): void {
    switch (type) {
      case 'string':
        if (typeof value !== 'string') throw wrongValue(shape, value)
        return this.textField(number, value)
      case 'message': {
        const end = this.length
        if (shape.kind === 'object' && isMap(value)) this.#fields(wireOf(shape), value)
        else this.#form(shape, value)
        return this.close(number, end)
      }
      case 'int32':
      case 'int64':
        if (typeof value !== 'bigint' && !Number.isSafeInteger(value)) throw wrongValue(shape, value)
        return this.numberField(number, value as number | bigint)
      case 'bool':
        if (typeof value !== 'boolean') throw wrongValue(shape, value)
        return this.numberField(number, value ? 1 : 0)
      case 'bytes': {
        if (typeof value !== 'string') throw wrongValue(shape, value)
        const end = this.length
        this.base64(value)
        return this.close(number, end)
      }
      case 'stringList': {
        const end = this.length
        this.#texts(1, shape, value)
        return this.close(number, end)
      }
      case 'double':
        if (typeof value !== 'number' && typeof value !== 'bigint') throw wrongValue(shape, value)
        this.double(Number(value))
        return this.varint((number << 3) | FIXED64)
      case 'map':
        throw wrongValue(shape, value)
    }
  }

  /** Writes an integer with its tag. */
  numberField(number: number, value: number | bigint): void {
    this.signed(value)
    this.varint((number << 3) | VARINT)
  }

  #texts(number: number, shape: Shape, value: Value): void {
    if (!isList(value)) throw wrongValue(shape, value)
    for (let i = value.length - 1; i >= 0; i--) this.textField(number, textOf(value[i]))
  }

  /** Writes the zero value of an absent field that is not a pointer. Lists, maps and bytes have no zero value. */
  zeroField({ type, number }: Place, shape: Shape): void {
    switch (type) {
      case 'map':
      case 'bytes':
      case 'stringList':
        return
      case 'message': {
        if (shape.kind === 'list') return
        const end = this.length
        if (shape.kind === 'object') this.#fields(wireOf(shape), EMPTY)
        else this.#zeroForm(shape)
        return this.close(number, end)
      }
      case 'string':
        if (shape.kind === 'list') return
        this.byte(0)
        return this.varint((number << 3) | DELIMITED)
      case 'double':
        if (shape.kind === 'list') return
        this.double(0)
        return this.varint((number << 3) | FIXED64)
      default:
        if (shape.kind === 'list') return
        this.byte(0)
        return this.varint((number << 3) | VARINT)
    }
  }

  #map({ number }: Place, shape: Shape, value: Value): void {
    if (shape.kind !== 'map' || !isMap(value)) throw wrongValue(shape, value)
    const place = ENTRY_VALUES[mapValueType(shape)]
    const keys = sortedKeys(value)
    for (let i = keys.length - 1; i >= 0; i--) {
      const key = keys[i] as string
      const item = value[key]
      const end = this.length
      if (item === undefined || item === null) this.zeroField(place, shape.value)
      else this.#single(place, shape.value, item)
      this.textField(1, key)
      this.close(number, end)
    }
  }

  /** Writes the body of a message whose JSON form is not an object of its fields. */
  #form(shape: Shape, value: Value): void {
    switch (shape.kind) {
      case 'time':
      case 'microTime':
        return this.#moment(shape, value)
      case 'quantity':
        return this.textField(1, typeof value === 'number' ? String(value) : textOf(value))
      case 'duration': {
        const parsed = parseDuration(textOf(value))
        if (!parsed.ok) throw new ProtobufError(parsed.message)
        return this.numberField(1, parsed.nanoseconds)
      }
      case 'intOrString':
        return this.#intOrString(shape, value)
      case 'rawExtension':
      case 'fieldsV1':
      case 'any':
        return this.textField(1, jsonText(value))
      case 'schemaOrArray':
      case 'schemaOrBool':
      case 'schemaOrStringArray':
        return this.#schemaOr(shape, value)
      default:
        throw wrongValue(shape, value)
    }
  }

  #moment(shape: Shape, value: Value): void {
    const moment = momentOf(textOf(value))
    if (moment === undefined) return
    // The reference's Time has whole seconds, and writes zero nanoseconds.
    this.numberField(2, shape.kind === 'time' ? 0 : moment.nanos)
    this.numberField(1, moment.seconds)
  }

  #intOrString(shape: Shape, value: Value): void {
    if (typeof value !== 'string' && !Number.isSafeInteger(value)) throw wrongValue(shape, value)
    this.textField(3, typeof value === 'string' ? value : '')
    this.numberField(2, typeof value === 'string' ? 0 : (value as number))
    this.numberField(1, typeof value === 'string' ? 1 : 0)
  }

  #schemaOr(shape: OpaqueShape, value: Value): void {
    const { kind, schema } = shape
    if (schema === undefined) throw wrongValue(shape, value)
    if (kind === 'schemaOrBool') {
      if (typeof value !== 'boolean') this.#single({ number: 2, type: 'message' }, schema, value)
      return this.numberField(1, value === false ? 0 : 1)
    }
    if (!isList(value)) return this.#single({ number: 1, type: 'message' }, schema, value)
    if (kind === 'schemaOrStringArray') return this.#texts(2, shape, value)
    for (let i = value.length - 1; i >= 0; i--) {
      this.#single({ number: 2, type: 'message' }, schema, value[i] ?? EMPTY)
    }
  }

  /** Writes the body of a zero value. The body stays empty for a kind without a case here, such as a time or a raw extension. */
  #zeroForm(shape: Shape): void {
    if (shape.kind === 'quantity') this.textField(1, '0')
    if (shape.kind === 'duration' || shape.kind === 'schemaOrBool') this.numberField(1, 0)
    if (shape.kind === 'intOrString') this.#intOrString(shape, 0)
  }
}

/** The field for the value of a map's entry, by its type. */
const ENTRY_VALUES: Readonly<Record<WireType, Place>> = {
  string: { number: 2, type: 'string' },
  bytes: { number: 2, type: 'bytes' },
  int32: { number: 2, type: 'int32' },
  int64: { number: 2, type: 'int64' },
  bool: { number: 2, type: 'bool' },
  double: { number: 2, type: 'double' },
  message: { number: 2, type: 'message' },
  stringList: { number: 2, type: 'stringList' },
  map: { number: 2, type: 'map' },
}

/** The wire type of the values of a map. */
export function mapValueType({ value }: MapShape): WireType {
  switch (value.kind) {
    case 'string':
    case 'bytes':
    case 'int32':
    case 'int64':
      return value.kind
    case 'boolean':
      return 'bool'
    case 'number':
      return 'double'
    case 'list':
      return 'stringList'
    default:
      return 'message'
  }
}

/** The fields of the message of a shape. Throws `ProtobufError` for kinds that exist only in JSON. */
export function wireOf(shape: ObjectShape): readonly WireField[] {
  if (shape.wire === undefined) throw new ProtobufError(`${shape.name} has no protobuf form`)
  return shape.wire
}

function textOf(value: Value | undefined): string {
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string') throw wrongValue({ kind: 'string' }, value)
  return value
}

function wrongValue(shape: Shape, value: Value): ProtobufError {
  const expected = shape.kind === 'object' ? shape.name : shape.kind
  const type = value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value
  return new ProtobufError(`a value of type ${type} cannot be written as ${expected}`)
}
