// The values of string and bytes literals, with their escapes.

const SIMPLE: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '`': '`',
  '?': '?',
}

const ESCAPE =
  /^\\(?:([abfnrtv\\'"`?])|x([0-9a-fA-F]{2})|X([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2}))/

/** The length of the longest escape: a backslash, a letter and eight digits. */
const MAX_ESCAPE = 10

interface Escape {
  readonly length: number
  readonly character?: string
  readonly code: number
  /** The escape is written as a byte (`\x`, octal), not as a character. */
  readonly isByte: boolean
}

function readEscape(text: string, at: number): Escape | undefined {
  const found = ESCAPE.exec(text.slice(at, at + MAX_ESCAPE))
  if (found === null) return undefined
  const [whole, simple, hex, hexUpper, short, long, octal] = found
  const length = whole.length
  if (simple !== undefined) return { length, character: SIMPLE[simple] ?? '', code: 0, isByte: false }
  const byte = hex ?? hexUpper
  if (byte !== undefined) return { length, code: Number.parseInt(byte, 16), isByte: true }
  if (octal !== undefined) return { length, code: Number.parseInt(octal, 8), isByte: true }
  return { length, code: Number.parseInt(short ?? long ?? '', 16), isByte: false }
}

/** The position of the first malformed escape. Undefined: all are valid. */
export function faultIn(body: string): number | undefined {
  for (let i = body.indexOf('\\'); i >= 0; i = body.indexOf('\\', i)) {
    const escape = readEscape(body, i)
    if (escape === undefined) return i + validPrefix(body.slice(i, i + MAX_ESCAPE))
    i += escape.length
  }
  return undefined
}

/** The length of the longest beginning that a valid escape can have. */
function validPrefix(text: string): number {
  return /^\\(?:x[0-9a-fA-F]?|X[0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|[0-3][0-7]?)?/.exec(text)![0].length
}

/** Undefined: an escape is malformed, or stands for no character. */
export function readStringLiteral(body: string, raw: boolean): string | undefined {
  const text = body.replaceAll('\r\n', '\n').replaceAll('\r', '\n')
  if (raw || !text.includes('\\')) return text
  let out = ''
  for (let i = 0; i < text.length; ) {
    if (text[i] !== '\\') {
      out += text[i]
      i++
      continue
    }
    const escape = readEscape(text, i)
    if (escape === undefined || escape.code > 0x10ffff || (escape.code >= 0xd800 && escape.code < 0xe000))
      return undefined
    out += escape.character ?? String.fromCodePoint(escape.code)
    i += escape.length
  }
  return out
}

export function readBytesLiteral(body: string, raw: boolean): Uint8Array | undefined {
  const text = body.replaceAll('\r\n', '\n').replaceAll('\r', '\n')
  if (raw || !text.includes('\\')) return Buffer.from(text)
  const parts: Uint8Array[] = []
  for (let i = 0; i < text.length; ) {
    const next = text.indexOf('\\', i)
    if (next !== i) {
      const end = next === -1 ? text.length : next
      parts.push(Buffer.from(text.slice(i, end)))
      i = end
      continue
    }
    const escape = readEscape(text, i)
    if (escape === undefined || escape.code > 0x10ffff) return undefined
    if (escape.isByte) parts.push(Uint8Array.of(escape.code))
    else parts.push(Buffer.from(escape.character ?? String.fromCodePoint(escape.code)))
    i += escape.length
  }
  return Buffer.concat(parts)
}
