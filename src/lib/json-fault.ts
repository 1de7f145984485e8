// The fault of invalid JSON, in the words of Go's parser.

/** The fault of a text that is not a JSON object. Undefined: it is an object. `goType` is the Go type in the message. */
export function jsonObjectFault(text: string, goType = 'map[string]interface {}'): string | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return syntaxFault(text)
  }
  if (value === null || (typeof value === 'object' && !Array.isArray(value))) return undefined
  return `json: cannot unmarshal ${jsonTypeOf(value)} into Go value of type ${goType}`
}

/** The type of a value of parsed JSON as the reference's parser calls it. */
export function jsonTypeOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value
}

const WORDS: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' }

function syntaxFault(text: string): string {
  const rest = text.trimStart()
  const [first] = rest
  if (first === undefined) return 'unexpected end of JSON input'
  const word = WORDS[first]
  if (word !== undefined) {
    for (let at = 1; at < word.length; at++) {
      const found = rest[at]
      if (found === undefined) return 'unexpected end of JSON input'
      if (found === word[at]) continue
      return `invalid character ${quoted(found)} in literal ${word} (expecting '${word[at]}')`
    }
    return `invalid character ${quoted(rest[word.length] ?? '')} after top-level value`
  }
  if (!/[[{"\-0-9]/.test(first)) return `invalid character ${quoted(first)} looking for beginning of value`
  return 'unexpected end of JSON input'
}

/** The character in Go's quotes, with escapes for invisible characters. */
function quoted(character: string): string {
  if (character === "'") return String.raw`'\''`
  const code = character.codePointAt(0) ?? 0
  const hex = code.toString(16)
  if (code < 0x20 || code === 0x7f) return String.raw`'\x${hex.padStart(2, '0')}'`
  if ((code > 0x7f && code <= 0xa0) || code === 0xad) return String.raw`'\u${hex.padStart(4, '0')}'`
  return character === '\\' ? String.raw`'\\'` : `'${character}'`
}
