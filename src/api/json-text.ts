// JSON text of values. `JSON.parse` rounds integers beyond 2^53, and `JSON.stringify` throws for a bigint. So values from clients are
// read and written by these functions (D19).
import { numberOf } from './json-number.ts'
import type { Value } from './value.ts'

/** The JSON that `JSON.stringify` writes, with integers of any size. */
export function jsonText(value: Value, indentation = 0): string {
  try {
    return JSON.stringify(value, undefined, indentation)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return JSON.stringify(value, rawInteger, indentation)
  }
}

/** Like `jsonText`, with the characters of markup escaped, as in the reference. */
export function markupSafeJson(value: Value): string {
  return escapeMarkup(jsonText(value))
}

const MARKUP_ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

/** Escapes the characters of markup. Only the strings of a JSON text have such characters. */
export function escapeMarkup(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (char) => MARKUP_ESCAPES[char] ?? char)
}

function rawInteger(_key: string, member: unknown): unknown {
  return typeof member === 'bigint' ? (JSON as JsonWithRaw).rawJSON(String(member)) : member
}

/** `rawJSON` puts a text into JSON output unchanged. */
type JsonWithRaw = typeof JSON & { rawJSON(text: string): unknown }

/** An integer that a double cannot hold has at least this many digits. */
const LONG_NUMBER = 16

/** Node's `JSON.parse`, which hands the source text of a scalar to the reviver. */
type Parse = (text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown) => unknown

/** Throws `SyntaxError` if the text is not JSON. */
export function parseJsonText(text: string): Value {
  return hasLongNumber(text) ? ((JSON.parse as Parse)(text, reviveInteger) as Value) : (JSON.parse(text) as Value)
}

/**
 * Whether the text has at least 16 digits in a row. Reads every 16th character, which takes an eighth of the time of a regular expression.
 */
function hasLongNumber(text: string): boolean {
  for (let i = LONG_NUMBER - 1; i < text.length; i += LONG_NUMBER) {
    if (!isDigit(text, i)) continue
    let first = i
    while (isDigit(text, first - 1)) first--
    while (isDigit(text, i + 1)) i++
    if (i - first + 1 >= LONG_NUMBER) return true
  }
  return false
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 48 && code <= 57
}

/** Undefined: the text is not JSON. */
export function jsonOrAbsent(text: string): Value | undefined {
  try {
    return parseJsonText(text)
  } catch {
    return undefined
  }
}

function reviveInteger(_key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  return context.source === undefined ? value : (numberOf(context.source) ?? value)
}
