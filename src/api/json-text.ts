// JSON text of values. `JSON.parse` rounds integers beyond 2^53 and `JSON.stringify` throws at them, so what clients sent is
// read and written here (D19).
import { numberOf } from './json-number.ts'
import type { Value } from './value.ts'

/** JSON as `JSON.stringify` gives it, with integers of any size. */
export function jsonText(value: Value, indentation = 0): string {
  try {
    return JSON.stringify(value, undefined, indentation)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return JSON.stringify(value, rawInteger, indentation)
  }
}

/** The same as the reference writes it: what could be taken for markup is escaped. */
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

/** In JSON text these characters stand in strings only. */
export function escapeMarkup(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (char) => MARKUP_ESCAPES[char] ?? char)
}

function rawInteger(_key: string, member: unknown): unknown {
  return typeof member === 'bigint' ? (JSON as JsonWithRaw).rawJSON(String(member)) : member
}

/** Puts text into JSON output as it stands. */
type JsonWithRaw = typeof JSON & { rawJSON(text: string): unknown }

/** Only a run of digits this long can be an integer that a double does not hold. */
const LONG_NUMBER = /[0-9]{16}/

/** `JSON.parse` as this Node has it: the reviver gets the source text of a scalar. */
type Parse = (text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown) => unknown

/** Throws `SyntaxError` for what is not JSON. */
export function parseJsonText(text: string): Value {
  return LONG_NUMBER.test(text) ? ((JSON.parse as Parse)(text, reviveInteger) as Value) : (JSON.parse(text) as Value)
}

/** Undefined for what is not JSON. */
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
