// The small messages that are one value in JSON: moments, durations, int-or-string, and texts in a wrapper. Each reads to the
// end of the message that the reader is in, and passes over what it does not know.
import type { Value } from '../api/value.ts'
import { formatDuration } from '../lib/duration.ts'
import { JsonSyntaxError } from './json-exact.ts'
import { parseJsonDocument } from './json-parse.ts'
import { ProtobufError } from '../wire/protobuf-error.ts'
import type { ProtobufReader } from '../wire/protobuf-reader.ts'
import { formatMicroMoment, formatMoment } from './protobuf-time.ts'

/** An empty message is the zero moment, `null`; one that says nothing is 1970. */
export function readMoment(reader: ProtobufReader, kind: 'time' | 'microTime'): string | null {
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

/** The text in field 1; undefined where there is none. */
export function readText(reader: ProtobufReader): string | undefined {
  let text: string | undefined
  for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
    if (tag === 0x0a) text = reader.text()
    else skip(reader, tag, 1)
  }
  return text
}

/** The JSON that is in field 1 as bytes, `null` where there is none. It comes from users, like a body. */
export function readJson(reader: ProtobufReader): Value {
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

export function readDuration(reader: ProtobufReader): string {
  let nanoseconds: number | bigint = 0
  for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
    if (tag === 0x08) nanoseconds = reader.int64()
    else skip(reader, tag, 1)
  }
  return formatDuration(BigInt(nanoseconds))
}

export function readIntOrString(reader: ProtobufReader): number | string {
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

/** Passes over a field, unless it is one of the known numbers with another type. */
function skip(reader: ProtobufReader, tag: number, known: number): void {
  if (tag >>> 3 <= known) throw new ProtobufError(`proto: wrong wireType = ${tag & 7} for field ${tag >>> 3}`)
  reader.skip(tag)
}
