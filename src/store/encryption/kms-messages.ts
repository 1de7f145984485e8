// The protobuf messages of KMS plugins as lists of fields: numbers, bytes, texts, and maps of bytes by text.
import { MessageWriter } from '../../wire/message-writer.ts'
import { ProtobufReader } from '../../wire/protobuf-reader.ts'

const VARINT = 0
const DELIMITED = 2

export interface Field {
  readonly number: number
  /** The bytes of a field with a length, or the value of a number. */
  readonly value: Buffer | number
}

/** Throws `ProtobufError` if the bytes are not a message. */
export function readFields(bytes: Buffer): readonly Field[] {
  const fields: Field[] = []
  const reader = new ProtobufReader(bytes)
  for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
    const number = tag >>> 3
    if ((tag & 7) === VARINT) fields.push({ number, value: reader.safeUint() })
    else if ((tag & 7) === DELIMITED) fields.push({ number, value: reader.bytes() })
    else reader.skip(tag)
  }
  return fields
}

export function bytesOf(fields: readonly Field[], number: number): Buffer {
  const found = fields.findLast((field) => field.number === number)?.value
  return Buffer.isBuffer(found) ? found : Buffer.alloc(0)
}

export function textOf(fields: readonly Field[], number: number): string {
  return bytesOf(fields, number).toString('utf8')
}

export function numberOf(fields: readonly Field[], number: number): number {
  const found = fields.findLast((field) => field.number === number)?.value
  return typeof found === 'number' ? found : 0
}

export type BytesByText = ReadonlyMap<string, Buffer>

export function mapOf(fields: readonly Field[], number: number): BytesByText {
  const map = new Map<string, Buffer>()
  for (const field of fields) {
    if (field.number !== number || !Buffer.isBuffer(field.value)) continue
    const entry = readFields(field.value)
    map.set(textOf(entry, 1), bytesOf(entry, 2))
  }
  return map
}

/** Writes the values as the fields 1, 2, 3 and so on. Empty values are left out. */
export function writeMessage(...values: readonly (Buffer | string | number | BytesByText)[]): Buffer {
  const writer = new MessageWriter()
  for (let number = values.length; number > 0; number--) {
    const value = values[number - 1]!
    if (typeof value === 'number') writer.number(number, value)
    else if (typeof value === 'string') writer.text(number, value)
    else if (Buffer.isBuffer(value)) writer.bytes(number, value)
    else writeMap(writer, number, value)
  }
  return writer.finish()
}

function writeMap(writer: MessageWriter, number: number, map: BytesByText): void {
  for (const entry of [...map].sort(([a], [b]) => (a > b ? -1 : 1))) writer.message(number, writeEntry, entry)
}

function writeEntry(writer: MessageWriter, [key, bytes]: readonly [string, Buffer]): void {
  writer.bytes(2, bytes)
  writer.text(1, key)
}
