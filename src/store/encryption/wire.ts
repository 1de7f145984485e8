// Just enough of protobuf for the messages of key management: numbers, bytes, texts, and maps of bytes by text.

export interface Field {
  readonly number: number
  /** The bytes of a field that has a length, the value of one that is a number. */
  readonly value: Buffer | number
}

/** Throws an `Error` where the bytes are not a message. */
export function readFields(bytes: Buffer): readonly Field[] {
  const fields: Field[] = []
  for (let at = 0; at < bytes.length; ) {
    const [tag, behindTag] = readVarint(bytes, at)
    const [number, wire] = [Math.floor(tag / 8), tag % 8]
    if (wire === 0) {
      const [value, end] = readVarint(bytes, behindTag)
      fields.push({ number, value })
      at = end
    } else if (wire === 2) {
      const [length, start] = readVarint(bytes, behindTag)
      if (start + length > bytes.length) throw new Error('proto: unexpected EOF')
      fields.push({ number, value: bytes.subarray(start, start + length) })
      at = start + length
    } else throw new Error(`proto: wire type ${wire} is not in these messages`)
  }
  return fields
}

function readVarint(bytes: Buffer, from: number): readonly [value: number, end: number] {
  let value = 0
  for (let at = from, scale = 1; at < bytes.length && at < from + 8; at++, scale *= 128) {
    const byte = bytes[at]!
    value += (byte & 0x7f) * scale
    if (byte < 0x80) return [value, at + 1]
  }
  throw new Error('proto: unexpected EOF')
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

/** Empty fields are left out. */
export function writeMessage(
  parts: readonly (readonly [number: number, value: Buffer | string | number | BytesByText])[],
): Buffer {
  const pieces: Buffer[] = []
  for (const [number, value] of parts) {
    if (typeof value === 'number') {
      if (value !== 0) pieces.push(varint(number * 8), varint(value))
    } else if (value instanceof Map) {
      for (const [key, bytes] of [...value].sort(([a], [b]) => (a < b ? -1 : 1))) {
        pieces.push(
          ...delimited(
            number,
            writeMessage([
              [1, key],
              [2, bytes as Buffer],
            ]),
          ),
        )
      }
    } else {
      const bytes = typeof value === 'string' ? Buffer.from(value) : (value as Buffer)
      if (bytes.length > 0) pieces.push(...delimited(number, bytes))
    }
  }
  return Buffer.concat(pieces)
}

function delimited(number: number, bytes: Buffer): readonly Buffer[] {
  return [varint(number * 8 + 2), varint(bytes.length), bytes]
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let left = value
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) | 0x80)
  return Buffer.from([...bytes, left])
}
