// Finds values in JSON bytes without parsing them. The bytes are canonical JSON, as it is stored: no blanks between tokens. For other
// input, the functions return -1 or undefined. They never read past the end, and take linear time.
import { BACKSLASH, CLOSE_LIST, CLOSE_MAP, COLON, COMMA, OPEN_LIST, OPEN_MAP, QUOTE } from './json-bytes.ts'

/** From `start` (inclusive) to `end` (exclusive). */
export interface Span {
  readonly start: number
  readonly end: number
}

/** The position after the string at `at`. -1: there is no string, or it does not end. */
export function skipString(bytes: Buffer, at: number): number {
  if (bytes[at] !== QUOTE) return -1
  for (let i = at + 1; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === QUOTE) return i + 1
    if (byte === BACKSLASH) i++
  }
  return -1
}

/** The position after the value at `at`. -1: the value does not end. Brackets are counted, not matched by kind. */
export function skipValue(bytes: Buffer, at: number): number {
  const first = bytes[at]
  if (first === QUOTE) return skipString(bytes, at)
  if (first !== OPEN_MAP && first !== OPEN_LIST) return skipScalar(bytes, at)
  const { length } = bytes
  let depth = 0
  for (let i = at; i < length; i++) {
    let byte = bytes[i] as number
    if (byte === QUOTE) {
      // Most bytes are in strings, so this loop must be fast.
      for (byte = bytes[++i] as number; byte !== QUOTE && i < length; byte = bytes[++i] as number) {
        if (byte === BACKSLASH) i++
      }
    } else if (byte >= OPEN_LIST) {
      // The brackets of lists and maps differ in this bit only.
      if ((byte | 0x20) === OPEN_MAP) depth++
      else if ((byte | 0x20) === CLOSE_MAP && --depth === 0) return i + 1
    }
  }
  return -1
}

function skipScalar(bytes: Buffer, at: number): number {
  let i = at
  while (i < bytes.length && bytes[i] !== COMMA && bytes[i] !== CLOSE_MAP && bytes[i] !== CLOSE_LIST) i++
  return i === at || i === bytes.length ? -1 : i
}

/** The value at a path of plain keys. For lists, the keys are decimal indexes. Undefined: there is no such value. */
export function findValue(bytes: Buffer, path: readonly string[]): Span | undefined {
  let start = 0
  for (const key of path) {
    start =
      bytes[start] === OPEN_LIST ? findElementStart(bytes, start, Number(key)) : findMemberStart(bytes, start, key)
    if (start < 0) return undefined
  }
  const end = skipValue(bytes, start)
  return end < 0 ? undefined : { start, end }
}

function findElementStart(bytes: Buffer, at: number, index: number): number {
  if (bytes[at + 1] === CLOSE_LIST) return -1
  let start = at + 1
  for (let i = 0; i < index; i++) {
    const end = skipValue(bytes, start)
    if (end < 0 || bytes[end] !== COMMA) return -1
    start = end + 1
  }
  return start
}

/** The value of a member. Keys are compared as bytes, so `key` must need no escapes. */
export function findMember(bytes: Buffer, at: number, key: string): Span | undefined {
  const start = findMemberStart(bytes, at, key)
  const end = start < 0 ? -1 : skipValue(bytes, start)
  return end < 0 ? undefined : { start, end }
}

/** The beginning of a member's value, without a search for its end. -1: there is no such member. */
export function findMemberStart(bytes: Buffer, at: number, key: string): number {
  if (bytes[at] !== OPEN_MAP || bytes[at + 1] === CLOSE_MAP) return -1
  for (let i = at + 1; ; ) {
    const keyEnd = skipString(bytes, i)
    if (keyEnd < 0 || bytes[keyEnd] !== COLON) return -1
    if (isString(bytes, i, keyEnd, key)) return keyEnd + 1
    const valueEnd = skipValue(bytes, keyEnd + 1)
    if (valueEnd < 0 || bytes[valueEnd] !== COMMA) return -1
    i = valueEnd + 1
  }
}

/** Whether the string from `start` to `end`, with its quotes, is `text`, which must be ASCII without escapes. */
export function isString(bytes: Buffer, start: number, end: number, text: string): boolean {
  if (end - start !== text.length + 2) return false
  for (let i = 0; i < text.length; i++) {
    if (bytes[start + 1 + i] !== text.charCodeAt(i)) return false
  }
  return true
}
