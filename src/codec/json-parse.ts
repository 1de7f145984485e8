// JSON from users: the platform's parser does the work, one scan over the bytes finds what it would lose (repeated members,
// the spelling of numbers, integers of 64 bits, depth); only then the document is read again, exactly. Never super-linear.
import { isUtf8 } from 'node:buffer'
import type { Value } from '../api/value.ts'
import { duplicatesIn, type SourceValue } from '../schema/exact-value.ts'
import { type ExactDocument, MAX_JSON_DEPTH, parseExactJson } from './json-exact.ts'

export interface JsonDocument {
  /** Integers of 64 bits are exact; of repeated members the last counts. */
  readonly value: Value
  /** The paths of repeated members in document order: `spec.containers[0].name`. */
  readonly duplicates: readonly string[]
  /** What typed decoding should read: `value`, or the exact form where that says more. */
  readonly source: SourceValue
}

/** As many as the reference reports. */
const MAX_DUPLICATES = 100
const NONE: readonly string[] = []

/** Reads one document. Throws `JsonSyntaxError` with the reference's words. */
export function parseJson(bytes: Buffer): JsonDocument {
  const scan = scanJson(bytes)
  if (scan.depth > MAX_JSON_DEPTH || !scan.plain || !isUtf8(bytes)) return exactDocument(bytes)
  let value: Value
  try {
    value = JSON.parse(bytes.toString('utf8')) as Value
  } catch {
    return exactDocument(bytes)
  }
  if (countMembers(value) !== scan.members) return exactDocument(bytes)
  return { value, duplicates: NONE, source: value }
}

function exactDocument(bytes: Buffer): JsonDocument {
  return asDocument(parseExactJson(bytes))
}

function asDocument({ exact, value }: ExactDocument): JsonDocument {
  return {
    value,
    source: exact,
    // Asked for by few.
    get duplicates() {
      return duplicatesIn(exact, MAX_DUPLICATES)
    },
  }
}

interface JsonScan {
  /** Colons between keys and values. */
  readonly members: number
  readonly depth: number
  /** False where a double or a string could lose something: long, fractional or exponential numbers, surrogates. */
  readonly plain: boolean
}

/** Looks at every byte once. What it says of bytes that are not JSON means nothing. */
function scanJson(bytes: Buffer): JsonScan {
  const length = bytes.length
  let members = 0
  let depth = 0
  let deepest = 0
  let plain = true
  for (let i = 0; i < length; i++) {
    const byte = bytes[i] ?? 0
    if (byte === 0x22) {
      i += 1
      for (let inside = bytes[i]; inside !== 0x22 && inside !== undefined; inside = bytes[i]) {
        if (inside === 0x5c) {
          i += 1
          // A surrogate begins with the letter d, in either case.
          if (bytes[i] === 0x75 && ((bytes[i + 1] ?? 0) | 0x20) === 0x64) plain = false
        }
        i += 1
      }
    } else if (byte === 0x3a) members += 1
    else if (byte === 0x7b || byte === 0x5b) {
      depth += 1
      if (depth > deepest) deepest = depth
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1
    else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) {
      const end = endOfDigits(bytes, i)
      const after = bytes[end]
      // Fifteen digits always fit into a double; `-0` is none of the integers.
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
  return { members, depth: deepest, plain }
}

function endOfDigits(bytes: Buffer, start: number): number {
  let at = start + 1
  for (let byte = bytes[at]; byte !== undefined && byte >= 0x30 && byte <= 0x39; byte = bytes[at]) at += 1
  return at
}

function countMembers(value: Value): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const item of value as readonly Value[]) count += countMembers(item)
    return count
  }
  const members = Object.values(value)
  count = members.length
  for (const member of members) if (typeof member === 'object') count += countMembers(member)
  return count
}
