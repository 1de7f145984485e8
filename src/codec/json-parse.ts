// Parses JSON from clients with `JSON.parse`. One scan of the bytes finds details that `JSON.parse` would lose (repeated members, the
// spelling of numbers, integers of 64 bits), and too much depth. The slower exact parser is used only if the scan finds some of them. Both
// parsers take linear time.
import { isUtf8 } from 'node:buffer'
import { isList, type Value, type ValueMap } from '../api/value.ts'
import { duplicatesIn, type SourceValue } from '../schema/exact-value.ts'
import { tooManyValues } from './value-limit.ts'
import { MAX_JSON_DEPTH, parseExactJson } from './json-exact.ts'

export interface JsonDocument {
  /** Integers of 64 bits are exact. The last of repeated members counts. */
  readonly value: Value
  /** The paths of repeated members in document order: `spec.containers[0].name`. */
  readonly duplicates: readonly string[]
  /** The input of typed decoding: `value`, or the exact form if that has more details. */
  readonly source: SourceValue
}

/** The reference reports at most this number of duplicates. */
const MAX_DUPLICATES = 100
const NONE: readonly string[] = []

/** Reads one document. Throws `JsonSyntaxError` with the reference's words, and 413 for too many values. */
export function parseJsonDocument(bytes: Buffer, maxValues = Number.POSITIVE_INFINITY): JsonDocument {
  const scan = scanJson(bytes)
  if (scan.values > maxValues) throw tooManyValues()
  if (scan.depth > MAX_JSON_DEPTH || !scan.plain || !isUtf8(bytes)) return exactDocument(bytes)
  const value = platformValue(bytes)
  if (value === undefined || new MemberCount(scan.containers).of(value) !== scan.members) return exactDocument(bytes)
  return { value, duplicates: NONE, source: value }
}

/** Undefined: the bytes are not JSON. */
function platformValue(bytes: Buffer): Value | undefined {
  try {
    return JSON.parse(bytes.toString('utf8')) as Value
  } catch {
    return undefined
  }
}

function exactDocument(bytes: Buffer): JsonDocument {
  const { exact, value } = parseExactJson(bytes)
  return {
    value,
    source: exact,
    // Duplicates are found on demand, because few callers need them.
    get duplicates() {
      return duplicatesIn(exact, MAX_DUPLICATES)
    },
  }
}

interface JsonScan {
  /** An upper bound of the number of values: an empty list or map may count as two. */
  readonly values: number
  /** The number of maps and lists. */
  readonly containers: number
  /** The number of colons between keys and values. */
  readonly members: number
  readonly depth: number
  /** False if a double or a string could lose details: long, fractional or exponential numbers, surrogates. */
  readonly plain: boolean
}

/** Looks at every byte once. The result has no meaning for bytes that are not JSON. */
function scanJson(bytes: Buffer): JsonScan {
  const length = bytes.length
  let members = 0
  let depth = 0
  let deepest = 0
  let containers = 0
  let commas = 0
  let plain = true
  for (let i = 0; i < length; i++) {
    const byte = bytes[i] ?? 0
    if (byte === 0x22) {
      i += 1
      for (let inside = bytes[i]; inside !== 0x22 && inside !== undefined; inside = bytes[i]) {
        if (inside === 0x5c) {
          i += 1
          // The escape of a surrogate begins with the letter d, in either case.
          if (bytes[i] === 0x75 && ((bytes[i + 1] ?? 0) | 0x20) === 0x64) plain = false
        }
        i += 1
      }
    } else if (byte === 0x2c) commas += 1
    else if (byte === 0x3a) members += 1
    else if (byte === 0x7b || byte === 0x5b) {
      containers += 1
      depth += 1
      if (depth > deepest) deepest = depth
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1
    else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) {
      const end = endOfDigits(bytes, i)
      const after = bytes[end]
      // Fifteen digits always fit into a double. `-0` is not an integer.
      if (
        end - i > 15 ||
        after === 0x2e ||
        after === 0x65 ||
        after === 0x45 ||
        (byte === 0x2d && bytes[i + 1] === 0x30)
      ) {
        plain = false
      }
      i = end - 1
    }
  }
  return { values: commas + containers + 1, containers, members, depth: deepest, plain }
}

function endOfDigits(bytes: Buffer, start: number): number {
  let at = start + 1
  for (let byte = bytes[at]; byte !== undefined && byte >= 0x30 && byte <= 0x39; byte = bytes[at]) at += 1
  return at
}

/** Counts the members of all maps in a value. Stops after the last map or list. */
class MemberCount {
  #unmet: number
  #members = 0

  constructor(containers: number) {
    this.#unmet = containers
  }

  of(value: Value): number {
    this.#add(value)
    return this.#members
  }

  #add(value: Value): void {
    if (typeof value !== 'object' || value === null) return
    this.#unmet -= 1
    const keys = isList(value) ? undefined : Object.keys(value)
    if (keys !== undefined) this.#members += keys.length
    const count = keys === undefined ? (value as readonly Value[]).length : keys.length
    for (let i = 0; i < count && this.#unmet > 0; i++) {
      const member = keys === undefined ? (value as readonly Value[])[i]! : (value as ValueMap)[keys[i]!]!
      if (typeof member === 'object') this.#add(member)
    }
  }
}
