// JSON that travels as bytes inside of protobuf: embedded objects, field sets, schema defaults. Whole numbers stay exact and
// the depth is bounded, so that whoever walks the result cannot run out of stack.
import type { Value } from '../api/value.ts'
import { ProtobufError } from './protobuf-error.ts'

const MAX_DEPTH = 1000
/** Only a number of so many digits can be beyond what a double holds. */
const LONG_NUMBER = /[0-9]{16}/
const INTEGER = /^-?[0-9]+$/

/** The part of JSON that the compiler's library does not know yet: the text of a number, in and out. */
interface ExactJson {
  parse(text: string, revive: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown
  rawJSON(text: string): unknown
}

const EXACT: ExactJson = JSON as unknown as ExactJson

export function formatRawJson(value: Value): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    // A bigint: rare enough to be found by failing.
    if (!(error instanceof TypeError)) throw error
    return JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? EXACT.rawJSON(String(item)) : item))
  }
}

export function parseRawJson(text: string): Value {
  if (isTooDeep(text)) throw new ProtobufError('embedded JSON exceeds the maximum depth')
  try {
    return parseExactJson(text)
  } catch (error) {
    throw new ProtobufError('embedded JSON cannot be read', { cause: error })
  }
}

/** `JSON.parse` with whole numbers beyond 2^53 kept exact; for what is known to be JSON of a sane depth. */
export function parseExactJson(text: string): Value {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text) as Value
  return EXACT.parse(text, (_, value, { source = '' }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && INTEGER.test(source) ? BigInt(source) : value,
  ) as Value
}

/** Counts brackets outside of strings; what is not JSON is found by the parser. */
function isTooDeep(text: string): boolean {
  if (text.length <= MAX_DEPTH) return false
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x22) {
      i = endOfString(text, i + 1)
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > MAX_DEPTH) return true
    } else if (code === 0x7d || code === 0x5d) {
      depth--
    }
  }
  return false
}

function endOfString(text: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x22) return i
    if (code === 0x5c) i++
  }
  return text.length
}
