// Header blocks of HTTP/2 (RFC 7541), for a client that keeps no table of past headers and tells its peer so: each block is
// read and written for itself. Invariant: a block that cannot be understood throws, and is never half read.

/** Of the table that both sides know, what an answer to a call can be made of. */
const STATUS_AT = 8
const STATUSES: readonly string[] = Object.freeze(['200', '204', '206', '304', '400', '404', '500'])
const CONTENT_TYPE_AT = 31
const STATIC_ENTRIES = 61

const RECENT_BLOCKS = 4
const RECENT_BYTES = 200

/** What requests begin with. */
export const POST = 0x83
export const SCHEME_HTTP = 0x86
export const SCHEME_HTTPS = 0x87

/** A header as it is, to be joined to others. */
export function literal(name: string, value: string): Buffer {
  const parts = [name, value].map((text) => Buffer.from(text))
  return Buffer.concat([Buffer.of(0), ...parts.flatMap((bytes) => [lengthOf(bytes), bytes])])
}

function lengthOf({ length }: Buffer): Buffer {
  if (length < 0x7f) return Buffer.of(length)
  const bytes = [0x7f]
  for (let rest = length - 0x7f; ; rest >>>= 7) {
    if (rest < 0x80) return Buffer.of(...bytes, rest)
    bytes.push((rest & 0x7f) | 0x80)
  }
}

/** Names of headers that mean nothing to us come out as the empty one. */
export function readHeaders(block: Buffer): ReadonlyMap<string, string> {
  return new BlockReader(block).read()
}

/** The answers of a server begin and end alike: what was read lately is not read again. */
export class HeaderReader {
  readonly #recent: { readonly block: Buffer; readonly fields: ReadonlyMap<string, string> }[] = []

  read(block: Buffer): ReadonlyMap<string, string> {
    for (const known of this.#recent) if (known.block.equals(block)) return known.fields
    const fields = readHeaders(block)
    if (block.length > RECENT_BYTES) return fields
    if (this.#recent.length === RECENT_BLOCKS) this.#recent.shift()
    this.#recent.push({ block: Buffer.from(block), fields })
    return fields
  }
}

class BlockReader {
  readonly #block: Buffer
  readonly #fields = new Map<string, string>()
  #at = 0

  constructor(block: Buffer) {
    this.#block = block
  }

  read(): ReadonlyMap<string, string> {
    while (this.#at < this.#block.length) {
      const first = this.#block[this.#at]!
      if (first >= 0x80) this.#indexed(this.#number(7))
      else if (first >= 0x40) this.#literal(6)
      else if (first >= 0x20) this.#resize(this.#number(5))
      else this.#literal(4)
    }
    return this.#fields
  }

  #indexed(index: number): void {
    checkIndex(index)
    const status = STATUSES[index - STATUS_AT]
    if (status !== undefined) this.#fields.set(':status', status)
  }

  #literal(prefixBits: number): void {
    const index = this.#number(prefixBits)
    const name = index === 0 ? this.#text() : nameAt(index)
    this.#fields.set(name, this.#text())
  }

  #resize(size: number): void {
    if (size !== 0) throw new RangeError('a table of headers that was not agreed to')
  }

  #number(prefixBits: number): number {
    const most = (1 << prefixBits) - 1
    let value = this.#byte() & most
    if (value < most) return value
    for (let shift = 0; shift <= 21; shift += 7) {
      const byte = this.#byte()
      value += (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    throw new RangeError('a number that is too large')
  }

  #text(): string {
    const isCompressed = (this.#block[this.#at] ?? 0) >= 0x80
    const length = this.#number(7)
    const end = this.#at + length
    if (end > this.#block.length) throw new RangeError('a block of headers ends within a text')
    const text = isCompressed
      ? decompress(this.#block.subarray(this.#at, end))
      : this.#block.toString('latin1', this.#at, end)
    this.#at = end
    return text
  }

  #byte(): number {
    const byte = this.#block[this.#at++]
    if (byte === undefined) throw new RangeError('a block of headers ends within a number')
    return byte
  }
}

function nameAt(index: number): string {
  checkIndex(index)
  if (STATUSES[index - STATUS_AT] !== undefined) return ':status'
  return index === CONTENT_TYPE_AT ? 'content-type' : ''
}

function checkIndex(index: number): void {
  if (index === 0 || index > STATIC_ENTRIES) throw new RangeError('a header from a table that is empty')
}

/** How many bits the code of each byte has, and last that of the end; codes of one length follow each other in order. */
const CODE_BITS: readonly number[] = Object.freeze([
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28,
  28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6,
  5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23,
  22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22,
  23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26,
  20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27,
  27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27,
  27, 27, 27, 26, 30,
])

const LONGEST_CODE = 30
const SHORTEST_CODE = 5
const END_OF_TEXT = 256

interface Codes {
  /** By their code. */
  readonly symbols: readonly number[]
  /** For each length: what its codes begin with, how many there are, and where in `symbols` the first one is. */
  readonly rows: readonly {
    readonly first: number
    readonly count: number
    readonly at: number
  }[]
}

const CODES: Codes = Object.freeze(codesOf(CODE_BITS))

function codesOf(lengths: readonly number[]): Codes {
  const symbols: number[] = []
  const rows: { first: number; count: number; at: number }[] = []
  for (let bits = 0, next = 0; bits <= LONGEST_CODE; bits++, next *= 2) {
    const at = symbols.length
    lengths.forEach((length, symbol) => length === bits && symbols.push(symbol))
    rows.push({ first: next, count: symbols.length - at, at })
    next += symbols.length - at
  }
  return { symbols, rows }
}

function decompress(bytes: Buffer): string {
  let text = ''
  let code = 0
  let bits = 0
  for (const byte of bytes) {
    for (let mask = 0x80; mask > 0; mask >>= 1) {
      code = code * 2 + ((byte & mask) === 0 ? 0 : 1)
      if (++bits < SHORTEST_CODE) continue
      if (bits > LONGEST_CODE) throw new RangeError('a compressed text that is none')
      const { first, count, at } = CODES.rows[bits]!
      if (code - first >= count) continue
      const symbol = CODES.symbols[at + code - first]!
      if (symbol === END_OF_TEXT) throw new RangeError('a compressed text that is none')
      text += String.fromCharCode(symbol)
      code = 0
      bits = 0
    }
  }
  // What is left over is the beginning of the end's code, which is all ones.
  if (bits > 7 || code !== 2 ** bits - 1) throw new RangeError('a compressed text that is none')
  return text
}
