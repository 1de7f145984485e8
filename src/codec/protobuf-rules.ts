// Rules that write a JSON document as protobuf messages. They tell which member is which field. They are for documents whose protobuf form
// is not the API's own, such as OpenAPI. A rule writes backwards, like its encoder.
import { jsonText } from '../api/json-text.ts'
import { isList, isMap, type Value, type ValueMap } from '../api/value.ts'
import { InvariantError } from '../lib/errors.ts'
import { ProtobufEncoder } from './protobuf-encode.ts'

/** Writes the body of a message. */
export type MessageRule = (encoder: ProtobufEncoder, value: Value) => void

/** Writes one or several fields with a number, and their tags. */
export type FieldRule = (encoder: ProtobufEncoder, number: number, value: Value) => void

/** The members of a message, each with the number of its field. */
export type Fields<Rule = FieldRule> = Readonly<Record<string, readonly [number: number, rule: Rule]>>

/** A message. `extensions` is the number of the field for members that begin with `x-`. All other members must have a rule. */
export function message(fields: Fields, extensions?: number): MessageRule {
  const rules = Object.entries(fields).sort(([, [a]], [, [b]]) => b - a)
  return (encoder, value) => {
    const members = membersOf(value)
    const extra = Object.keys(members).filter((key) => !Object.hasOwn(fields, key))
    refuseUnknown(extra.filter((key) => !key.startsWith('x-')))
    if (extensions !== undefined && extra.length > 0) {
      extensionRule(encoder, extensions, Object.fromEntries(extra.map((key) => [key, members[key] ?? null])))
    }
    for (const [key, [number, rule]] of rules) {
      const member = members[key]
      if (member !== undefined) rule(encoder, number, member)
    }
  }
}

/** A part of a large document: a field, a map that is written entry by entry, or a message of such parts. */
export type Part =
  | FieldRule
  | { readonly entries: readonly [number: number, rule: MessageRule] }
  | { readonly parts: Fields<Part> }

/** Writes a message forwards, in buffers in their order. Yields after every entry of a large map. */
export function* writeParts(parts: Fields<Part>, value: Value): Generator<void, readonly Buffer[]> {
  const members = membersOf(value)
  refuseUnknown(Object.keys(members).filter((key) => !Object.hasOwn(parts, key)))
  const written: Buffer[] = []
  for (const [key, [number, part]] of Object.entries(parts).sort(([, [a]], [, [b]]) => a - b)) {
    const member = members[key]
    if (member === undefined) continue
    if (typeof part === 'function') {
      written.push(bytesOf((encoder) => part(encoder, number, member)))
      continue
    }
    const inner = yield* 'parts' in part ? writeParts(part.parts, member) : writeEntries(part.entries, member)
    const length = inner.reduce((sum, bytes) => sum + bytes.length, 0)
    const head = bytesOf((encoder) => {
      encoder.varint(length)
      encoder.varint((number << 3) | 2)
    })
    written.push(head, ...inner)
  }
  return written
}

function* writeEntries([number, rule]: readonly [number, MessageRule], map: Value): Generator<void, readonly Buffer[]> {
  const written: Buffer[] = []
  for (const [name, member] of Object.entries(membersOf(map))) {
    written.push(bytesOf((encoder) => writeEntry(encoder, number, { name, member, rule })))
    yield
  }
  return written
}

function bytesOf(write: (encoder: ProtobufEncoder) => void): Buffer {
  const encoder = new ProtobufEncoder()
  write(encoder)
  return encoder.finish()
}

function refuseUnknown([unknown]: readonly string[]): void {
  if (unknown !== undefined)
    throw new InvariantError(`a document has the member ${unknown}, for which there is no field`)
}

function membersOf(value: Value): ValueMap {
  if (!isMap(value)) throw new InvariantError('a document has a scalar instead of a message')
  return value
}

export const text: FieldRule = (encoder, number, value) =>
  encoder.textField(number, typeof value === 'string' ? value : jsonText(value))

export const bool: FieldRule = (encoder, number, value) => encoder.numberField(number, value === true ? 1 : 0)

export const integer: FieldRule = (encoder, number, value) =>
  encoder.numberField(number, typeof value === 'bigint' ? value : Number(value))

export const double: FieldRule = (encoder, number, value) => {
  encoder.double(Number(value))
  encoder.varint((number << 3) | 1)
}

/** A field that holds one message. */
export function one(rule: MessageRule): FieldRule {
  return (encoder, number, value) => {
    const end = encoder.length
    rule(encoder, value)
    encoder.close(number, end)
  }
}

/** A field for every item of a list. A value that is not a list counts as a list with this one item. */
export function each(rule: FieldRule): FieldRule {
  return (encoder, number, value) => {
    const items = isList(value) ? value : [value]
    for (let i = items.length - 1; i >= 0; i--) rule(encoder, number, items[i] ?? null)
  }
}

/** A field for every member of a map: a message of its name and its value. */
export function named(rule: MessageRule): FieldRule {
  return (encoder, number, value) => {
    for (const [name, member] of Object.entries(membersOf(value)).reverse()) {
      writeEntry(encoder, number, { name, member, rule })
    }
  }
}

interface Entry {
  readonly name: string
  readonly member: Value
  readonly rule: MessageRule
}

function writeEntry(encoder: ProtobufEncoder, number: number, { name, member, rule }: Entry): void {
  const end = encoder.length
  one(rule)(encoder, 2, member)
  encoder.textField(1, name)
  encoder.close(number, end)
}

/** A message that has one field only. */
export function holding(number: number, rule: FieldRule): MessageRule {
  return (encoder, value) => rule(encoder, number, value)
}

/** Any value, as YAML. JSON is YAML too. */
export const anything: MessageRule = (encoder, value) => encoder.textField(2, jsonText(value))

const extensionRule = named(anything)
