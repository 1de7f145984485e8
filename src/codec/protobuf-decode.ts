// Decodes protobuf messages to JSON values by the schema table. The result is the JSON of the reference: members are in the order of
// declaration, empty members are omitted by the rule of the field, and required structs are filled in.
import type { Value } from '../api/value.ts'
import { readAgain } from '../api/json-number.ts'
import type { MapShape, ObjectShape, OpaqueShape, Shape, WireField, WireMember } from '../schema/table.ts'
import { formatDuration } from '../lib/duration.ts'
import { JsonSyntaxError } from './json-exact.ts'
import { parseJsonDocument } from './json-parse.ts'
import { mapValueType, wireOf } from './protobuf-encode.ts'
import { ProtobufError } from '../wire/protobuf-error.ts'
import {
  EMPTY_MESSAGE,
  MessageCloser,
  OpenList,
  OpenMap,
  openMessage,
  zeroOf,
  type OpenMessage,
  type OpenValue,
} from './protobuf-open.ts'
import { formatMicroMoment, formatMoment } from './protobuf-time.ts'
import { ProtobufReader } from '../wire/protobuf-reader.ts'
import { tooManyValues } from './value-limit.ts'

/** The object of a message. Throws `ProtobufError` for malformed bytes. */
export function decodeMessage(
  bytes: Uint8Array,
  shape: ObjectShape,
  maxValues = Number.POSITIVE_INFINITY,
): Record<string, Value> {
  const message = openMessage(shape)
  new MessageDecoder(new ProtobufReader(bytes), maxValues).fields(wireOf(shape), message, 0)
  return new MessageCloser().close(shape, message)
}

/** The facts about a field that the decoder needs. */
type Place = Pick<WireMember, 'type' | 'field'>

class MessageDecoder {
  readonly #reader: ProtobufReader
  /** The number of values that may still follow. */
  #valuesLeft: number
  /** The last tag. */
  #tag = 0

  constructor(reader: ProtobufReader, maxValues: number) {
    this.#reader = reader
    this.#valuesLeft = maxValues
  }

  /** Reads fields into an open message, to the end of the reader's message. The fields of an inlined struct begin at an offset. */
  fields(wire: readonly WireField[], message: OpenMessage, offset: number): void {
    const reader = this.#reader
    let i = 0
    while (reader.hasMore) {
      const tag = reader.tag()
      this.#tag = tag
      if (--this.#valuesLeft < 0) throw tooManyValues()
      const number = tag >>> 3
      // Numbers of fields nearly always ascend, so the search begins at the last field.
      if (wire[i]?.number !== number) i = findField(wire, number, i)
      const member = wire[i]
      if (member === undefined) {
        reader.skip(tag)
        i = 0
      } else if (member.type === 'inline') {
        if ((tag & 7) !== 2) throw wrongType(tag, 'inline')
        const outer = reader.enter()
        this.fields(member.fields, message, offset + member.offset)
        reader.leave(outer)
      } else {
        const slot = offset + member.index
        message[slot] = this.#member(member, message[slot])
      }
    }
  }

  /** Reads the value of a field, joined with its earlier parts. */
  #member(member: WireMember, before: OpenValue | undefined): OpenValue {
    const { shape } = member.field
    if (member.type === 'map' && shape.kind === 'map') {
      const map = before instanceof OpenMap ? before : new OpenMap()
      this.#entry(member, shape, map)
      return map
    }
    if (shape.kind !== 'list' || member.type === 'stringList') return this.#single(member, shape, before)
    const list = before instanceof OpenList ? before : new OpenList()
    this.#items(member, shape.item, list)
    return list
  }

  /** Reads one item of a list, or a packed run of numbers, which every reader must accept. */
  #items(place: Place, shape: Shape, list: OpenList): void {
    const reader = this.#reader
    const wanted = wireTypeOf(place)
    if ((this.#tag & 7) !== 2 || wanted === 2) {
      list.items.push(this.#single(place, shape, undefined))
      return
    }
    this.#tag = (this.#tag & ~7) | wanted
    const outer = reader.enter()
    while (reader.hasMore) {
      if (--this.#valuesLeft < 0) throw tooManyValues()
      list.items.push(this.#single(place, shape, undefined))
    }
    reader.leave(outer)
  }

  #single(place: Place, shape: Shape, before: OpenValue | undefined): OpenValue {
    const reader = this.#reader
    if ((this.#tag & 7) !== wireTypeOf(place)) throw wrongType(this.#tag, place.field.name)
    switch (place.type) {
      case 'string':
        return reader.text()
      case 'message': {
        const outer = reader.enter()
        const value = shape.kind === 'object' ? this.#object(shape, before) : this.#form(shape)
        reader.leave(outer)
        return value
      }
      case 'int64':
        return reader.int64()
      case 'int32':
        return reader.int32()
      case 'bool':
        return reader.bool()
      case 'bytes':
        return reader.base64()
      case 'double':
        return jsonNumber(reader.double())
      case 'stringList': {
        const list = before instanceof OpenList ? before : new OpenList()
        const outer = reader.enter()
        for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
          if (tag === 0x0a) list.items.push(reader.text())
          else reader.skip(tag)
        }
        reader.leave(outer)
        return list
      }
      case 'map':
        throw wrongType(this.#tag, place.field.name)
    }
  }

  #object(shape: ObjectShape, before: OpenValue | undefined): OpenMessage {
    if (!this.#reader.hasMore && before === undefined) return EMPTY_MESSAGE
    const isOpen = Array.isArray(before) && before !== EMPTY_MESSAGE
    const message = isOpen ? before : openMessage(shape)
    this.fields(wireOf(shape), message, 0)
    return message
  }

  #entry(member: WireMember, shape: MapShape, map: OpenMap): void {
    const reader = this.#reader
    if ((this.#tag & 7) !== 2) throw wrongType(this.#tag, member.field.name)
    const outer = reader.enter()
    let key = ''
    let value: OpenValue | undefined
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      this.#tag = tag
      if (tag === 0x0a) key = reader.text()
      else if (tag >>> 3 === 2) {
        value = this.#single({ type: mapValueType(shape), field: member.field }, shape.value, value)
      } else reader.skip(tag)
    }
    reader.leave(outer)
    map.entries.push([key, value ?? zeroEntry(shape.value)])
  }

  /** Reads the body of a message whose JSON form is not an object of its fields. */
  #form(shape: Shape): OpenValue {
    switch (shape.kind) {
      case 'time':
      case 'microTime':
        return readMoment(this.#reader, shape.kind)
      case 'quantity':
        return readText(this.#reader) ?? '0'
      case 'duration':
        return readDuration(this.#reader)
      case 'intOrString':
        return readIntOrString(this.#reader)
      case 'rawExtension':
      case 'fieldsV1':
      case 'any':
        return readJson(this.#reader)
      case 'schemaOrArray':
      case 'schemaOrBool':
      case 'schemaOrStringArray':
        return this.#schemaOr(shape)
      default:
        throw new ProtobufError(`${shape.kind} is not a message`)
    }
  }

  #schemaOr({ kind, schema: shape }: OpaqueShape): OpenValue {
    const reader = this.#reader
    if (shape === undefined) throw new ProtobufError(`${kind} has no schema`)
    const list = new OpenList()
    let schema: OpenMessage | undefined
    let allows = false
    // The schema is field 2 if field 1 is a bool. Otherwise the schema is field 1.
    const schemaTag = kind === 'schemaOrBool' ? 0x12 : 0x0a
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      if (tag === schemaTag || (tag === 0x12 && kind === 'schemaOrArray')) {
        const outer = reader.enter()
        if (tag === schemaTag) schema = this.#object(shape, schema)
        else list.items.push(this.#object(shape, undefined))
        reader.leave(outer)
      } else if (tag === 0x12) {
        list.items.push(reader.text())
      } else if (tag === 0x08 && kind === 'schemaOrBool') {
        allows = reader.bool()
      } else {
        reader.skip(tag)
      }
    }
    if (list.items.length > 0) return list
    return schema ?? (kind === 'schemaOrBool' ? allows : null)
  }
}

/** The index of a field. The search begins at `from`, and continues at the beginning. An index past the end: there is no such field. */
function findField(wire: readonly WireField[], number: number, from: number): number {
  for (let i = from; i < wire.length; i++) if (wire[i]?.number === number) return i
  for (let i = 0; i < from; i++) if (wire[i]?.number === number) return i
  return wire.length
}

function wireTypeOf({ type }: Place): number {
  switch (type) {
    case 'int32':
    case 'int64':
    case 'bool':
      return 0
    case 'double':
      return 1
    default:
      return 2
  }
}

/** The reference's message has the Go name of the field, which begins with an upper-case letter. */
function wrongType(tag: number, name: string): ProtobufError {
  return new ProtobufError(
    `proto: wrong wireType = ${tag & 7} for field ${name.charAt(0).toUpperCase()}${name.slice(1)}`,
  )
}

/** JSON has no infinity and no NaN. */
function jsonNumber(value: number): number | bigint {
  if (!Number.isFinite(value)) throw new ProtobufError('JSON cannot represent infinity or NaN')
  return readAgain(value)
}

/** The value of a map's entry that was sent without a value. */
function zeroEntry(shape: Shape): OpenValue {
  if (shape.kind === 'object') return EMPTY_MESSAGE
  return shape.kind === 'bytes' ? '' : zeroOf(shape)
}

// The following functions read small messages that are one value in JSON, to the end of the reader's message. They skip unknown fields.

/** An empty message is the zero time, `null`. A message with unknown fields only is 1970. */
function readMoment(reader: ProtobufReader, kind: 'time' | 'microTime'): string | null {
  if (!reader.hasMore) return null
  let seconds = 0
  let nanos = 0
  for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
    if (tag === 0x08) seconds = Number(reader.int64())
    else if (tag === 0x10) nanos = reader.int32()
    else skip(reader, tag, 2)
  }
  return kind === 'time' ? formatMoment(seconds) : formatMicroMoment(seconds, nanos)
}

/** The text in field 1. Undefined: the message has no such field. */
function readText(reader: ProtobufReader): string | undefined {
  let text: string | undefined
  for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
    if (tag === 0x0a) text = reader.text()
    else skip(reader, tag, 1)
  }
  return text
}

/** The JSON in field 1, or `null`. Clients can send any JSON here, as in a body. */
function readJson(reader: ProtobufReader): Value {
  let bytes: Buffer | undefined
  for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
    if (tag === 0x0a) bytes = reader.bytes()
    else skip(reader, tag, 1)
  }
  if (bytes === undefined || bytes.length === 0) return null
  try {
    return parseJsonDocument(bytes).value
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    throw new ProtobufError(`embedded JSON: ${error.message}`, { cause: error })
  }
}

function readDuration(reader: ProtobufReader): string {
  let nanoseconds: number | bigint = 0
  for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
    if (tag === 0x08) nanoseconds = reader.int64()
    else skip(reader, tag, 1)
  }
  return formatDuration(BigInt(nanoseconds))
}

function readIntOrString(reader: ProtobufReader): number | string {
  let isText = false
  let number = 0
  let text = ''
  for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
    if (tag === 0x08) isText = reader.int64() === 1
    else if (tag === 0x10) number = reader.int32()
    else if (tag === 0x1a) text = reader.text()
    else skip(reader, tag, 3)
  }
  return isText ? text : number
}

/** Skips a field. Throws if the field has a known number but another type. */
function skip(reader: ProtobufReader, tag: number, known: number): void {
  if (tag >>> 3 <= known) throw new ProtobufError(`proto: wrong wireType = ${tag & 7} for field ${tag >>> 3}`)
  reader.skip(tag)
}
