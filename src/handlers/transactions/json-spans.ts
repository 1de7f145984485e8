// Finds the members of a JSON object and the items of a list, as positions in its bytes. Values are not parsed: the reader of each value
// checks it.
import { ApiError } from '../../api/status.ts'

/** The bytes of a value, without spaces around it. `end` is exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_MAP = 0x7b
const CLOSE_MAP = 0x7d
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
/** The bytes of a character in a text: `\\u0061`. */
const LONGEST_ESCAPE = 6

export class JsonSpans {
  readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  get whole(): Span {
    const start = this.#pastSpace(0)
    const end = this.#endOf(start)
    if (this.#pastSpace(end) < this.bytes.length) throw this.#fault(end)
    return { start, end }
  }

  /** Throws `BadRequest` if the value is not an object, or has a member twice, or a member that is not in `known`. */
  members(span: Span, what: string, known: ReadonlySet<string>): ReadonlyMap<string, Span> {
    return this.#members(span, what, (start, end) => {
      const name = this.text({ start, end })
      if (!known.has(name)) throw new ApiError('BadRequest', `${what} has the unknown member ${JSON.stringify(name)}`)
      return name
    })
  }

  /** The members with these names. Throws `BadRequest` if the value is not an object, or has one of them twice. */
  selected(span: Span, what: string, names: ReadonlySet<string>): ReadonlyMap<string, Span> {
    const longest = Math.max(...Array.from(names, ({ length }) => length)) * LONGEST_ESCAPE
    // An object may have very many members. Reading the name of each would take long.
    return this.#members(span, what, (start, end) => {
      if (end - start - 2 > longest) return undefined
      const plain = this.bytes.toString('latin1', start + 1, end - 1)
      const name = plain.includes('\\') ? this.text({ start, end }) : plain
      return names.has(name) ? name : undefined
    })
  }

  #members(
    span: Span,
    what: string,
    nameOf: (start: number, end: number) => string | undefined,
  ): ReadonlyMap<string, Span> {
    if (this.bytes[span.start] !== OPEN_MAP) throw new ApiError('BadRequest', `${what} must be an object`)
    const members = new Map<string, Span>()
    this.#each(span, CLOSE_MAP, (start) => {
      if (this.bytes[start] !== QUOTE) throw this.#fault(start)
      const end = this.#endOf(start)
      const name = nameOf(start, end)
      const colon = this.#pastSpace(end)
      if (this.bytes[colon] !== COLON) throw this.#fault(colon)
      const from = this.#pastSpace(colon + 1)
      const to = this.#endOf(from)
      if (name === undefined) return to
      if (members.has(name)) throw new ApiError('BadRequest', `${what} has the member ${JSON.stringify(name)} twice`)
      members.set(name, { start: from, end: to })
      return to
    })
    return members
  }

  /** The number of items, and the first `most` of them. Throws `BadRequest` if the value is not a list. */
  items(span: Span, what: string, most: number): { readonly count: number; readonly first: readonly Span[] } {
    if (this.bytes[span.start] !== OPEN_LIST) throw new ApiError('BadRequest', `${what} must be a list`)
    const first: Span[] = []
    let count = 0
    this.#each(span, CLOSE_LIST, (start) => {
      const end = this.#endOf(start)
      if (count++ < most) first.push({ start, end })
      return end
    })
    return { count, first }
  }

  /** The value as a text. Empty if it is absent or null. Throws `BadRequest` for any other value. */
  text(span: Span | undefined, what = 'a member'): string {
    const value: unknown = span === undefined ? null : this.value(span, what)
    if (value === null) return ''
    if (typeof value === 'string') return value
    throw new ApiError('BadRequest', `${what} must be a text`)
  }

  /** Parses a small value. */
  value(span: Span, what: string): unknown {
    try {
      return JSON.parse(this.slice(span).toString())
    } catch (error) {
      throw new ApiError('BadRequest', `${what} is no JSON: ${(error as Error).message}`)
    }
  }

  slice({ start, end }: Span): Buffer {
    return this.bytes.subarray(start, end)
  }

  #each({ start, end }: Span, close: number, take: (at: number) => number): void {
    let at = this.#pastSpace(start + 1)
    if (this.bytes[at] === close) return
    for (;;) {
      at = this.#pastSpace(take(at))
      if (this.bytes[at] === close && at === end - 1) return
      if (this.bytes[at] !== COMMA) throw this.#fault(at)
      at = this.#pastSpace(at + 1)
    }
  }

  /** The end of the value that begins here. Counts brackets, and skips texts. */
  #endOf(start: number): number {
    const { bytes } = this
    let depth = 0
    for (let at = start; at < bytes.length; at++) {
      const byte = bytes[at]!
      if (byte === QUOTE) {
        at = this.#endOfText(at)
        if (depth === 0) return at + 1
      } else if (byte === OPEN_MAP || byte === OPEN_LIST) depth++
      else if (byte === CLOSE_MAP || byte === CLOSE_LIST) {
        if (depth === 0) return this.#scalar(start, at)
        if (--depth === 0) return at + 1
      } else if (depth === 0 && (byte === COMMA || byte === COLON || isSpace(byte))) return this.#scalar(start, at)
    }
    if (depth > 0) throw this.#fault(bytes.length)
    return this.#scalar(start, bytes.length)
  }

  #scalar(start: number, end: number): number {
    if (start === end) throw this.#fault(start)
    return end
  }

  #endOfText(start: number): number {
    const { bytes } = this
    for (let at = start + 1; at < bytes.length; at++) {
      if (bytes[at] === BACKSLASH) at++
      else if (bytes[at] === QUOTE) return at
    }
    throw this.#fault(bytes.length)
  }

  #pastSpace(from: number): number {
    let at = from
    while (at < this.bytes.length && isSpace(this.bytes[at]!)) at++
    return at
  }

  #fault(at: number): ApiError {
    const what = at >= this.bytes.length ? 'ends too early' : `has a fault at byte ${at}`
    return new ApiError('BadRequest', `the transaction is no JSON: it ${what}`)
  }
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}
