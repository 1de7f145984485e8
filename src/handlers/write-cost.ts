// An estimate of the time for which a write would hold the event loop, from the bytes of its body and of the stored object.
import type { Random } from '../lib/random.ts'

/** Smaller writes are not examined: 4 KB hold 2,048 values at most, which take 25 ms. */
const SMALL_BYTES = 4096
/** The time to read, check and write a value and to record its owner, in milliseconds. */
const MS_PER_VALUE = 0.012
const MS_PER_BYTE = 8 / (1024 * 1024)
/** A stored value is not checked again, and half of all stored values are names of owned fields. */
const STORED_SHARE = 0.25
/** The estimate for encodings whose values cannot be counted. */
const VALUES_PER_BYTE = 0.3
/** The time for text that is parsed character by character (YAML), or that is not valid in any encoding. */
const MS_PER_TEXT_BYTE = 0.3 / 1024

const QUOTE = 0x22
const BACKSLASH = 0x5c
const NEWLINE = 0x0a
const RETURN = 0x0d
const PROTOBUF_HEAD = 'k8s\0'
const COMMA = 0x2c
const OPEN_LIST = 0x5b
const OPEN_MAP = 0x7b

/** 1 for each byte that separates values when it stands outside of texts. */
const SEPARATORS = Uint8Array.from({ length: 256 }, (_, byte) => (isSeparator(byte) ? 1 : 0))
const TEXT_SEPARATORS = SEPARATORS.with(NEWLINE, 1).with(RETURN, 1)

function isSeparator(byte: number | undefined): boolean {
  return byte === COMMA || byte === OPEN_LIST || byte === OPEN_MAP
}

/** The time in milliseconds. 0 for small writes. */
export function writeCost(body: Buffer, stored: Buffer | undefined, random: Random): number {
  const storedLength = stored?.length ?? 0
  if (body.length + storedLength * STORED_SHARE < SMALL_BYTES) return 0
  const form = formOf(body)
  const values =
    valuesIn(body, form, random) + (stored === undefined ? 0 : valuesIn(stored, 'json', random) * STORED_SHARE)
  const reading = form === 'text' ? body.length * MS_PER_TEXT_BYTE : 0
  return values * MS_PER_VALUE + (body.length + storedLength) * MS_PER_BYTE + reading
}

type Form = 'json' | 'text' | 'binary'

/** Maps and tags in CBOR begin with a byte beyond ASCII. */
function formOf(bytes: Buffer): Form {
  const first = bytes[0] ?? 0
  if (first === OPEN_MAP || first === OPEN_LIST) return 'json'
  return first > 0x7f || bytes.toString('latin1', 0, 4) === PROTOBUF_HEAD ? 'binary' : 'text'
}

/** The approximate number of values in the bytes. */
function valuesIn(bytes: Buffer, form: Form, random: Random): number {
  if (form === 'binary') return bytes.length * VALUES_PER_BYTE
  const table = form === 'json' ? SEPARATORS : TEXT_SEPARATORS
  if (bytes.length > MOST_COUNTED) return sampledValuesIn(bytes, table, random)
  const separators = separatorsIn(bytes, table)
  return separators <= FEW || form === 'text' ? separators : jsonValuesIn(bytes)
}

/** If there are few separators, those within texts are counted too, because leaving them out takes twice as long. */
const FEW = 400

/** Separators within texts count as well. */
function separatorsIn(bytes: Buffer, table: Uint8Array): number {
  let count = 0
  for (let i = 0; i < bytes.length; i++) count += table[bytes[i]!]!
  return count
}

/** Longer texts are counted in samples: reading every byte of 3 MB takes as long as a whole turn may last. */
const MOST_COUNTED = 128 * 1024
const SAMPLE_BYTES = 1024

/** Separators within texts count as well, because a sample may begin within a text. */
function sampledValuesIn(bytes: Buffer, table: Uint8Array, random: Random): number {
  const span = Math.floor(bytes.length / (MOST_COUNTED / SAMPLE_BYTES))
  let [values, counted] = [0, 0]
  for (let start = 0; start + span <= bytes.length; start += span) {
    // The sample is at a random place in each span, so that no client can hide values between the samples.
    const from = start + random.below(span - SAMPLE_BYTES + 1)
    values += separatorsIn(bytes.subarray(from, from + SAMPLE_BYTES), table)
    counted += SAMPLE_BYTES
  }
  return (values * bytes.length) / counted
}

function jsonValuesIn(bytes: Buffer): number {
  let values = 0
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === QUOTE) {
      for (i += 1; i < bytes.length && bytes[i] !== QUOTE; i++) if (bytes[i] === BACKSLASH) i += 1
    } else if (isSeparator(byte)) values += 1
  }
  return values
}
