// Rules that write a JSON document as messages of a fixed description: which member is which field. For documents whose
// protobuf form is not the API's own, such as OpenAPI. A rule writes backwards, as its encoder does.
import { jsonText } from '../api/json-text.ts'
import { isList, isMap, type Value, type ValueMap } from '../api/value.ts'
import { InvariantError } from '../lib/errors.ts'
import type { ProtobufEncoder } from './protobuf-encode.ts'

/** Writes the body of a message. */
export type MessageRule = (encoder: ProtobufEncoder, value: Value) => void
/** Writes either, and yields wherever it may be interrupted. */
export type RuleInSteps = (encoder: ProtobufEncoder, value: Value) => Generator<void, void>
/** Writes a field with its tag, or several. */
export type FieldRule = (encoder: ProtobufEncoder, value: Value) => void

/** A message of members in ascending number. Members that begin with `x-` are extensions; others must have a rule. */
export function message(fields: Readonly<Record<string, FieldRule>>, extensions?: FieldRule): MessageRule {
  const rules = Object.entries(fields).reverse()
  return (encoder, value) => {
    const members = membersOf(value)
    const extra = Object.keys(members).filter((key) => !Object.hasOwn(fields, key))
    const unknown = extra.find((key) => !key.startsWith('x-'))
    if (unknown !== undefined) throw new InvariantError(`a document has ${unknown} where no field is for it`)
    if (extensions !== undefined && extra.length > 0) {
      extensions(encoder, Object.fromEntries(extra.map((key) => [key, members[key] ?? null])))
    }
    for (const [key, rule] of rules) {
      const member = members[key]
      if (member !== undefined) rule(encoder, member)
    }
  }
}

/** The same without extensions, interruptible wherever one of its rules is. */
export function messageInSteps(fields: Readonly<Record<string, FieldRule | RuleInSteps>>): RuleInSteps {
  const rules = Object.entries(fields).reverse()
  return function* (encoder, value) {
    const members = membersOf(value)
    const unknown = Object.keys(members).find((key) => !Object.hasOwn(fields, key))
    if (unknown !== undefined) throw new InvariantError(`a document has ${unknown} where no field is for it`)
    for (const [key, rule] of rules) {
      const member = members[key]
      const steps = member === undefined ? undefined : rule(encoder, member)
      if (steps !== undefined) yield* steps
    }
  }
}

function membersOf(value: Value): ValueMap {
  if (!isMap(value)) throw new InvariantError('a document has a scalar where a message belongs')
  return value
}

export function text(number: number): FieldRule {
  return (encoder, value) => {
    encoder.textField(number, typeof value === 'string' ? value : jsonText(value))
  }
}

export function bool(number: number): FieldRule {
  return (encoder, value) => {
    encoder.byte(value === true ? 1 : 0)
    encoder.varint(number << 3)
  }
}

export function integer(number: number): FieldRule {
  return (encoder, value) => {
    encoder.signed(typeof value === 'bigint' ? value : Number(value))
    encoder.varint(number << 3)
  }
}

export function double(number: number): FieldRule {
  return (encoder, value) => {
    encoder.double(Number(value))
    encoder.varint((number << 3) | 1)
  }
}

/** A field that holds one message. */
export function one(number: number, rule: MessageRule): FieldRule {
  return (encoder, value) => {
    const end = encoder.length
    rule(encoder, value)
    encoder.close(number, end)
  }
}

/** A field for every item of a list; something that is not a list is an item by itself. */
export function each(rule: FieldRule): FieldRule {
  return (encoder, value) => {
    const items = isList(value) ? value : [value]
    for (let i = items.length - 1; i >= 0; i--) rule(encoder, items[i] ?? null)
  }
}

/** A field for every member of a map: a message of its name and its value. */
export function named(number: number, rule: MessageRule): FieldRule {
  const entry = namedEntry(number, rule)
  return (encoder, value) => {
    for (const [name, member] of entriesOf(value).reverse()) entry(encoder, name, member)
  }
}

/** The same, interruptible after every member. */
export function namedInSteps(number: number, rule: MessageRule): RuleInSteps {
  const entry = namedEntry(number, rule)
  return function* (encoder, value) {
    for (const [name, member] of entriesOf(value).reverse()) {
      entry(encoder, name, member)
      yield
    }
  }
}

function namedEntry(number: number, rule: MessageRule): (encoder: ProtobufEncoder, name: string, value: Value) => void {
  const held = one(2, rule)
  return (encoder, name, value) => {
    const end = encoder.length
    held(encoder, value)
    encoder.textField(1, name)
    encoder.close(number, end)
  }
}

/** A field that holds one message, in steps. */
export function oneInSteps(number: number, rule: RuleInSteps): RuleInSteps {
  return function* (encoder, value) {
    const end = encoder.length
    yield* rule(encoder, value)
    encoder.close(number, end)
  }
}

/** A message that does nothing but hold a field. */
export function holding(rule: FieldRule): MessageRule {
  return rule
}

/** A rule that is chosen by the value. */
export function choose<R extends FieldRule>(choice: (value: Value) => R): R {
  return ((encoder: ProtobufEncoder, value: Value) => {
    choice(value)(encoder, value)
  }) as R
}

/** Anything, as YAML, which JSON is. */
export const anything: MessageRule = (encoder, value) => {
  encoder.textField(2, jsonText(value))
}

function entriesOf(value: Value): [string, Value][] {
  return isMap(value) ? Object.entries(value satisfies ValueMap) : []
}
