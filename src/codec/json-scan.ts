// Finds things in JSON bytes without parsing them. Made for the canonical JSON that we store: no blanks between tokens.
// On anything else it says so (-1) or finds nothing; it never runs past the end and never looks at a byte twice.

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_MAP = 0x7b
const CLOSE_MAP = 0x7d

/** From `start` (inclusive) to `end` (exclusive). */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Behind the string that begins at `at`; -1 where none does, or it does not end. */
export function skipString(bytes: Buffer, at: number): number {
  if (bytes[at] !== QUOTE) return -1
  for (let i = at + 1; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === QUOTE) return i + 1
    if (byte === BACKSLASH) i++
  }
  return -1
}

/** Behind the value that begins at `at`; -1 where it does not end. Brackets are counted, not matched by kind. */
export function skipValue(bytes: Buffer, at: number): number {
  const first = bytes[at]
  if (first === QUOTE) return skipString(bytes, at)
  if (first !== OPEN_MAP && first !== OPEN_LIST) return skipScalar(bytes, at)
  let depth = 0
  for (let i = at; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === QUOTE) {
      i = skipString(bytes, i) - 1
      if (i < 0) return -1
    } else if (byte === OPEN_MAP || byte === OPEN_LIST) depth++
    else if (byte === CLOSE_MAP || byte === CLOSE_LIST) {
      depth--
      if (depth === 0) return i + 1
    }
  }
  return -1
}

function skipScalar(bytes: Buffer, at: number): number {
  let i = at
  while (i < bytes.length && bytes[i] !== COMMA && bytes[i] !== CLOSE_MAP && bytes[i] !== CLOSE_LIST) i++
  return i === at || i === bytes.length ? -1 : i
}

/** The value at the end of a path of plain keys, decimal ones for places in lists; undefined where there is none. */
export function findValue(bytes: Buffer, path: readonly string[]): Span | undefined {
  let span: Span | undefined = { start: 0, end: bytes.length }
  for (const key of path) {
    if (span === undefined) return undefined
    span =
      bytes[span.start] === OPEN_LIST ? findElement(bytes, span.start, Number(key)) : findMember(bytes, span.start, key)
  }
  return span
}

function findElement(bytes: Buffer, at: number, index: number): Span | undefined {
  if (bytes[at + 1] === CLOSE_LIST) return undefined
  let start = at + 1
  for (let i = 0; ; i++) {
    const end = skipValue(bytes, start)
    if (end < 0) return undefined
    if (i === index) return { start, end }
    if (bytes[end] !== COMMA) return undefined
    start = end + 1
  }
}

/** The value of a member. Keys in the bytes are compared as they stand there, so `key` must need no escapes. */
export function findMember(bytes: Buffer, at: number, key: string): Span | undefined {
  if (bytes[at] !== OPEN_MAP || bytes[at + 1] === CLOSE_MAP) return undefined
  let i = at + 1
  for (;;) {
    const keyEnd = skipString(bytes, i)
    if (keyEnd < 0 || bytes[keyEnd] !== COLON) return undefined
    if (isString(bytes, i, keyEnd, key)) {
      const end = skipValue(bytes, keyEnd + 1)
      return end < 0 ? undefined : { start: keyEnd + 1, end }
    }
    const valueEnd = skipValue(bytes, keyEnd + 1)
    if (valueEnd < 0 || bytes[valueEnd] !== COMMA) return undefined
    i = valueEnd + 1
  }
}

/** Whether the string from `start` to `end`, quotes included, is `text`, which must be ASCII and need no escapes. */
export function isString(bytes: Buffer, start: number, end: number, text: string): boolean {
  if (end - start !== text.length + 2) return false
  for (let i = 0; i < text.length; i++) {
    if (bytes[start + 1 + i] !== text.charCodeAt(i)) return false
  }
  return true
}
