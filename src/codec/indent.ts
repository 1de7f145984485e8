// Indents compact JSON: two blanks for each level, empty maps and lists on one line. A stream is indented piece by piece, so that
// memory does not grow with the document.
import type { Turns } from '../lib/turns.ts'
import { BACKSLASH, CLOSE_LIST, CLOSE_MAP, COLON, COMMA, OPEN_LIST, OPEN_MAP, QUOTE } from './json-bytes.ts'

const BLANK = 0x20
const NEWLINE = 0x0a

const PIECE_BYTES = 64 * 1024
/** Deeper levels, which no real object has, get no more indentation. Otherwise a document could grow with the square of its depth. */
const DEEPEST_INDENT = 100

export class Indenter {
  #out: Buffer = Buffer.allocUnsafeSlow(PIECE_BYTES)
  #used = 0
  #depth = 0
  #inString = false
  #escaped = false
  /** The last byte was an opening bracket. */
  #opened = false

  /** Writes a byte that is not in a string. */
  #byte(byte: number): void {
    if (byte === NEWLINE || byte === BLANK) return
    const closes = byte === CLOSE_MAP || byte === CLOSE_LIST
    if (closes) this.#depth--
    if (closes !== this.#opened) this.#line()
    this.#opened = byte === OPEN_MAP || byte === OPEN_LIST
    this.#put(byte)
    if (this.#opened) this.#depth++
    else if (byte === COMMA) this.#line()
    else if (byte === COLON) this.#put(BLANK)
    else if (byte === QUOTE) this.#inString = true
  }

  /** Copies the part of a string that `bytes` has and that fits into the piece. Returns the position after this part. */
  #string(bytes: Buffer, start: number): number {
    const out = this.#out
    const end = Math.min(bytes.length, start + out.length - this.#used)
    let used = this.#used
    let i = start
    while (i < end && this.#inString) {
      const byte = bytes[i++] as number
      out[used++] = byte
      if (this.#escaped) this.#escaped = false
      else if (byte === BACKSLASH) this.#escaped = true
      else if (byte === QUOTE) this.#inString = false
    }
    this.#used = used
    return i
  }

  #line(): void {
    this.#put(NEWLINE)
    for (let i = 2 * Math.min(this.#depth, DEEPEST_INDENT); i > 0; i--) this.#put(BLANK)
  }

  #put(byte: number): void {
    this.#out[this.#used++] = byte
  }

  /** Indents the next bytes of the document. Yields full pieces. */
  *push(bytes: Buffer): Generator<Buffer> {
    for (let i = 0; i < bytes.length; ) {
      // A byte becomes at most itself, a line end and its indentation.
      if (this.#used + 2 + 2 * this.#depth > this.#out.length) yield* this.#flush()
      if (this.#inString) i = this.#string(bytes, i)
      else this.#byte(bytes[i++] as number)
    }
  }

  /** Yields the rest at the end of the document. */
  *finish(): Generator<Buffer> {
    yield* this.#flush()
  }

  *#flush(): Generator<Buffer> {
    if (this.#used > 0) yield this.#out.subarray(0, this.#used)
    this.#out = Buffer.allocUnsafeSlow(Math.max(PIECE_BYTES, 4 + 4 * this.#depth))
    this.#used = 0
  }
}

/** Indents a document in turns of the event loop. Yields it in pieces. */
export async function* indentInTurns(bytes: Buffer, turns: Turns): AsyncGenerator<Buffer> {
  const indenter = new Indenter()
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    if (turns.isOver) await turns.next()
    yield* indenter.push(bytes.subarray(start, start + PIECE_BYTES))
  }
  yield* indenter.finish()
}

export function indentJson(bytes: Buffer): Buffer {
  const indenter = new Indenter()
  return Buffer.concat([...indenter.push(bytes), ...indenter.finish()])
}
