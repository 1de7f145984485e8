// Writes profiles of V8 as the message that `go tool pprof` reads (profile.proto).
import { ProtobufWriter } from '../wire/protobuf-writer.ts'

/** A place in the tree of calls. */
export interface CallNode {
  readonly functionName: string
  readonly file: string
  readonly line: number
  /** Undefined for the root. */
  readonly parent: CallNode | undefined
}

export interface CallSample {
  readonly node: CallNode
  readonly values: readonly number[]
}

export interface Profile {
  /** The names of the values, and their units: `['cpu', 'nanoseconds']`. */
  readonly types: readonly (readonly [type: string, unit: string])[]
  readonly samples: readonly CallSample[]
  /** The type, the unit and the size of the distance between samples. */
  readonly period: readonly [type: string, unit: string, every: number]
  /** In milliseconds since 1970. */
  readonly startedAt: number
  readonly milliseconds: number
}

/** The numbers of the fields. */
const PROFILE = {
  type: 1,
  sample: 2,
  location: 4,
  function: 5,
  text: 6,
  time: 9,
  duration: 10,
  periodType: 11,
  period: 12,
} as const
/** The nanoseconds in a millisecond. */
const NANOSECONDS = 1_000_000n

export function profileMessage(profile: Profile): Buffer {
  const texts = new Numbered<string>((text) => text)
  texts.of('')
  const functions = new Numbered<CallNode>(({ functionName, file }) => `${functionName} ${file}`)
  const locations = new Numbered<CallNode>(({ functionName, file, line }) => `${functionName} ${file} ${line}`)
  const samples = profile.samples.map(({ node, values }) => {
    const way = wayTo(node).map((one) => locations.of(one) + 1)
    return message([packed(1, way), packed(2, values)])
  })
  const placed = locations.all.map((node, i) =>
    message([number(1, i + 1), nested(4, message([number(1, functions.of(node) + 1), number(2, node.line)]))]),
  )
  const named = functions.all.map((node, i) =>
    message([number(1, i + 1), number(2, texts.of(node.functionName)), number(4, texts.of(node.file))]),
  )
  const typed = (type: string, unit: string): Part => message([number(1, texts.of(type)), number(2, texts.of(unit))])
  const types = profile.types.map(([type, unit]) => typed(type, unit))
  const [periodType, periodUnit, every] = profile.period
  const period = typed(periodType, periodUnit)
  const writer = new ProtobufWriter()
  message([
    ...types.map((one) => nested(PROFILE.type, one)),
    ...samples.map((one) => nested(PROFILE.sample, one)),
    ...placed.map((one) => nested(PROFILE.location, one)),
    ...named.map((one) => nested(PROFILE.function, one)),
    ...texts.all.map((text) => nested(PROFILE.text, (into) => into.bytes(Buffer.from(text)))),
    number(PROFILE.time, BigInt(Math.round(profile.startedAt)) * NANOSECONDS),
    number(PROFILE.duration, BigInt(Math.round(profile.milliseconds)) * NANOSECONDS),
    nested(PROFILE.periodType, period),
    number(PROFILE.period, every),
  ])(writer)
  return writer.finish()
}

/** The calls from this one to the outermost one. */
function wayTo(node: CallNode): readonly CallNode[] {
  const way: CallNode[] = []
  for (let at: CallNode | undefined = node; at?.parent !== undefined; at = at.parent) way.push(at)
  return way
}

/** Gives each new value the next number. */
class Numbered<Thing> {
  readonly all: Thing[] = []
  readonly #keyOf: (thing: Thing) => string
  readonly #numbers = new Map<string, number>()

  constructor(keyOf: (thing: Thing) => string) {
    this.#keyOf = keyOf
  }

  of(thing: Thing): number {
    const key = this.#keyOf(thing)
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    this.#numbers.set(key, this.all.length)
    return this.all.push(thing) - 1
  }
}

/** A part of a message. Parts are written from the end to the start. */
type Part = (into: ProtobufWriter) => void

function message(parts: readonly Part[]): Part {
  return (into) => {
    for (let i = parts.length - 1; i >= 0; i--) parts[i]!(into)
  }
}

function number(field: number, value: number | bigint): Part {
  return (into) => {
    into.signed(value)
    into.varint(field << 3)
  }
}

function nested(field: number, content: Part): Part {
  return (into) => {
    const before = into.length
    content(into)
    into.close(field, before)
  }
}

function packed(field: number, values: readonly number[]): Part {
  return nested(field, (into) => {
    for (let i = values.length - 1; i >= 0; i--) into.varint(values[i]!)
  })
}
