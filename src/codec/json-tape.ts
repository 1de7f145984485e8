// JSON bytes as a row of tokens, without making values of them: where each one is, and which one comes after it. For turning
// stored JSON into another encoding by copying its texts. Made for what we store ourselves: on blanks, and on what is not JSON, it
// says so and leaves it to a parser.

/** What a token is. */
export const TOKEN = { map: 0, list: 1, text: 2, escapedText: 3, number: 4, true: 5, false: 6, null: 7 } as const

/** The numbers of one token, which stand behind each other. */
export const TYPE = 0
/** The first byte; of a text, the first one inside of its quotes. */
export const START = 1
/** Behind the last byte; of a text, its closing quote. */
export const END = 2
/** Where the token behind this one and everything in it stands. */
export const NEXT = 3
/** In a map, the key's first byte and its closing quote; with escapes in it, the closing quote is negative. */
export const KEY_START = 4
export const KEY_END = 5
export const WIDTH = 6

const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN_MAP = 0x7b
const CLOSE_MAP = 0x7d

const MAX_DEPTH = 256

/**
 * The tokens of a document, the root first; undefined where it is none that this can read. They are put into `scratch`, or into a
 * longer row where that is too short: whoever reads many documents hands in the last one's again. One pass, nothing is looked at
 * twice.
 */
export function scanJsonTokens(bytes: Buffer, scratch: Int32Array): Int32Array | undefined {
  let tokens = scratch
  const { length } = bytes
  let depth = 0
  /** The container that is open; while it is, its end holds the one around it. */
  let parent = -1
  let size = 0
  let at = 0
  let keyStart = 0
  let keyEnd = 0
  for (;;) {
    if (size + WIDTH > tokens.length) tokens = longer(tokens)
    const token = size
    size += WIDTH
    tokens[token + KEY_START] = keyStart
    tokens[token + KEY_END] = keyEnd
    const first = bytes[at] as number
    if (first === QUOTE) {
      const start = ++at
      let type: number = TOKEN.text
      while (at < length) {
        const byte = bytes[at] as number
        if (byte === QUOTE) break
        if (byte === BACKSLASH) {
          type = TOKEN.escapedText
          at++
        }
        at++
      }
      if (at >= length) return undefined
      tokens[token] = type
      tokens[token + START] = start
      tokens[token + END] = at++
      tokens[token + NEXT] = size
    } else if (first === OPEN_MAP || first === OPEN_LIST) {
      const isMap = first === OPEN_MAP
      tokens[token] = isMap ? TOKEN.map : TOKEN.list
      tokens[token + START] = at
      if (isMap && isFieldSet(bytes, keyStart, keyEnd)) {
        at = skipContainer(bytes, at)
        if (at < 0) return undefined
        tokens[token + END] = at
        tokens[token + NEXT] = size
      } else if (bytes[at + 1] === (isMap ? CLOSE_MAP : CLOSE_LIST)) {
        at += 2
        tokens[token + END] = at
        tokens[token + NEXT] = size
      } else {
        if (++depth > MAX_DEPTH) return undefined
        tokens[token + END] = parent
        parent = token
        at++
        if (!isMap) {
          keyStart = keyEnd = 0
          continue
        }
        const end = endOfKey(bytes, at)
        if (end === 0) return undefined
        keyStart = at + 1
        keyEnd = end
        at = Math.abs(end) + 2
        continue
      }
    } else {
      const end = endOfScalar(bytes, at)
      const type = scalarType(first)
      if (type < 0 || end > length) return undefined
      tokens[token] = type
      tokens[token + START] = at
      tokens[token + END] = end
      tokens[token + NEXT] = size
      at = end
    }
    // Behind a value: what it is in goes on or ends.
    for (;;) {
      if (parent < 0) return at === length ? tokens : undefined
      const isMap = tokens[parent] === TOKEN.map
      const byte = bytes[at++]
      if (byte === COMMA) {
        if (!isMap) break
        const end = endOfKey(bytes, at)
        if (end === 0) return undefined
        keyStart = at + 1
        keyEnd = end
        at = Math.abs(end) + 2
        break
      }
      if (byte !== (isMap ? CLOSE_MAP : CLOSE_LIST)) return undefined
      const around = tokens[parent + END] as number
      tokens[parent + END] = at
      tokens[parent + NEXT] = size
      parent = around
      depth--
    }
    if (tokens[parent] === TOKEN.list) keyStart = keyEnd = 0
  }
}

function longer(tokens: Int32Array): Int32Array {
  const copy = new Int32Array(Math.max(tokens.length * 2, WIDTH * 64))
  copy.set(tokens)
  return copy
}

/** The closing quote of the key that begins at a place, negative where it has escapes; 0 where there is none. */
function endOfKey(bytes: Buffer, from: number): number {
  if (bytes[from] !== QUOTE) return 0
  const { length } = bytes
  let hasEscapes = false
  for (let at = from + 1; at < length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) return bytes[at + 1] !== COLON ? 0 : hasEscapes ? -at : at
    if (byte === BACKSLASH) {
      hasEscapes = true
      at++
    }
  }
  return 0
}

/** Whether a key is `fieldsV1`: a third of an object may be sets of fields, which nobody looks into. */
function isFieldSet(bytes: Buffer, start: number, end: number): boolean {
  return end - start === 8 && bytes[start] === 0x66 && bytes[start + 6] === 0x56 && bytes[start + 7] === 0x31
}

/** Behind the container that begins at a place; -1 where it does not end. */
function skipContainer(bytes: Buffer, from: number): number {
  const { length } = bytes
  let depth = 0
  for (let at = from; at < length; at++) {
    const byte = bytes[at] as number
    if (byte === QUOTE) {
      for (at++; at < length && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++
    } else if (byte === OPEN_MAP || byte === OPEN_LIST) {
      depth++
    } else if ((byte === CLOSE_MAP || byte === CLOSE_LIST) && --depth === 0) {
      return at + 1
    }
  }
  return -1
}

function endOfScalar(bytes: Buffer, from: number): number {
  const { length } = bytes
  let at = from + 1
  while (at < length) {
    const byte = bytes[at]
    if (byte === COMMA || byte === CLOSE_MAP || byte === CLOSE_LIST) break
    at++
  }
  return at
}

/** By its first byte, because these are our own bytes; -1 for what begins no scalar. */
function scalarType(first: number): number {
  if (first === MINUS || (first >= ZERO && first <= NINE)) return TOKEN.number
  if (first === 0x74) return TOKEN.true
  if (first === 0x66) return TOKEN.false
  return first === 0x6e ? TOKEN.null : -1
}
