// Reads and writes header blocks of HTTP/2 (RFC 7541). Blocks are read in the order of their arrival, because each may refer to headers of
// earlier blocks. Written blocks do not refer to earlier blocks, so they are valid on every connection. Invariant: a malformed block
// throws, and none of its headers is returned.
import { decompress } from './huffman.ts'

/** The static table. */
const STATIC_NAMES: readonly string[] = Object.freeze(
  [
    ':authority :method :method :path :path :scheme :scheme :status :status :status :status :status :status :status',
    'accept-charset accept-encoding accept-language accept-ranges accept access-control-allow-origin age allow',
    'authorization cache-control content-disposition content-encoding content-language content-length content-location',
    'content-range content-type cookie date etag expect expires from host if-match if-modified-since if-none-match if-range',
    'if-unmodified-since last-modified link location max-forwards proxy-authenticate proxy-authorization range referer',
    'refresh retry-after server set-cookie strict-transport-security transfer-encoding user-agent vary via www-authenticate',
  ].flatMap((line) => line.split(' ')),
)

/** The entries of the static table that have a value, by their indexes. */
const STATIC_VALUES: Readonly<Record<number, string>> = Object.freeze({
  2: 'GET',
  3: 'POST',
  4: '/',
  5: '/index.html',
  6: 'http',
  7: 'https',
  8: '200',
  9: '204',
  10: '206',
  11: '304',
  12: '400',
  13: '404',
  14: '500',
  16: 'gzip, deflate',
})

/** The size of an entry besides its texts. */
const ENTRY_BYTES = 32

/** A block may begin with two updates of the table's size: the smallest size since the last block, and the final size (section 4.2). */
const MOST_SIZE_UPDATES = 2

/** The encoded method and scheme, with which requests begin. */
export const POST = 0x83
export const SCHEME_HTTP = 0x86
export const SCHEME_HTTPS = 0x87

/** Sets the size of our dynamic table to 0. After the peer has shrunk the table, the next block must begin with this instruction. */
export const NO_TABLE = '\x20'

const STATUS_AT = 8
const STATUS_TEXTS: ReadonlyMap<number, string> = new Map(
  [8, 9, 10, 11, 12, 13, 14].map((at) => [Number(STATIC_VALUES[at]), String.fromCharCode(0x80 | at)]),
)

/** For each name of the static table, the beginning of a header that is not added to the dynamic table. */
const NAME_TEXTS: ReadonlyMap<string, string> = new Map(
  STATIC_NAMES.map((name, i): [string, string] => [name, numberText(i + 1, 4)]).reverse(),
)

/** Returns an encoded header, which can be joined to others. Each character is a byte. */
export function headerText(name: string, value: string): string {
  return (NAME_TEXTS.get(name) ?? `\0${numberText(name.length, 7)}${name}`) + numberText(value.length, 7) + value
}

export function statusText(status: number): string {
  return STATUS_TEXTS.get(status) ?? `${numberText(STATUS_AT, 4)}\x03${status}`
}

export function literal(name: string, value: string): Buffer {
  return Buffer.from(headerText(name, value), 'latin1')
}

function numberText(value: number, prefixBits: number): string {
  const most = (1 << prefixBits) - 1
  if (value < most) return String.fromCharCode(value)
  let text = String.fromCharCode(most)
  let rest = value - most
  for (; rest >= 0x80; rest >>>= 7) text += String.fromCharCode((rest & 0x7f) | 0x80)
  return text + String.fromCharCode(rest)
}

export interface HeaderLimits {
  /** The allowed size of the table of past headers. */
  readonly tableBytes: number
  /** The allowed size of the headers of one block: names, values and 32 bytes for each header. */
  readonly listBytes: number
}

/** The number of removed entries that are cut off the lists at a time: the longer the lists, the more a cut costs. */
const GONE_AT_ONCE = 64

/**
 * The headers that later blocks may name by an index. The newest header has the index 1. The oldest headers are dropped when the table is
 * full.
 */
class DynamicTable {
  /** The newest is last. Entries before `#first` are removed. */
  readonly #names: string[] = []
  readonly #values: string[] = []
  #first = 0
  #bytes = 0
  #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  add(name: string, value: string): void {
    this.#names.push(name)
    this.#values.push(value)
    this.#bytes += bytesOf(name, value)
    this.#evict()
  }

  limitTo(bytes: number): void {
    this.#limit = bytes
    this.#evict()
  }

  /** Undefined: the table has no such entry. */
  nameAt(index: number): string | undefined {
    const at = this.#names.length - index
    return at < this.#first ? undefined : this.#names[at]
  }

  /** Returns the value of an entry that `nameAt` has found. */
  valueAt(index: number): string {
    return this.#values[this.#values.length - index]!
  }

  #evict(): void {
    for (; this.#bytes > this.#limit; this.#first++) {
      this.#bytes -= bytesOf(this.#names[this.#first]!, this.#values[this.#first]!)
      this.#names[this.#first] = this.#values[this.#first] = ''
    }
    if (this.#first < GONE_AT_ONCE) return
    this.#names.splice(0, this.#first)
    this.#values.splice(0, this.#first)
    this.#first = 0
  }
}

function bytesOf(name: string, value: string): number {
  return name.length + value.length + ENTRY_BYTES
}

/** Reads the header blocks of one connection. */
export class HeaderDecoder {
  readonly #limits: HeaderLimits
  readonly #table: DynamicTable
  #block: Buffer = EMPTY
  #at = 0
  #fields: string[] = []
  #room = 0

  constructor(limits: HeaderLimits) {
    this.#limits = limits
    this.#table = new DynamicTable(limits.tableBytes)
  }

  /** Returns names and values in turn. Undefined: they exceed the limit. Throws `RangeError` if the block is malformed. */
  decode(block: Buffer): readonly string[] | undefined {
    this.#block = block
    this.#at = 0
    this.#fields = []
    this.#room = this.#limits.listBytes
    for (let updates = 1; this.#at < block.length && block[this.#at]! >> 5 === 1; updates++) {
      if (updates > MOST_SIZE_UPDATES) throw new RangeError('too many updates of the size of the dynamic table')
      this.#resize(this.#number(5))
    }
    while (this.#at < block.length) this.#field(block[this.#at]!)
    this.#block = EMPTY
    return this.#room < 0 ? undefined : this.#fields
  }

  #field(first: number): void {
    if (first >= 0x80) {
      const index = this.#number(7)
      this.#give(this.#nameAt(index), this.#valueAt(index))
      return
    }
    const isKept = first >= 0x40
    if (!isKept && first >= 0x20)
      throw new RangeError('an update of the size of the dynamic table within a field block')
    const index = this.#number(isKept ? 6 : 4)
    const name = index === 0 ? this.#text() : this.#nameAt(index)
    const value = this.#text()
    this.#give(name, value)
    if (isKept) this.#table.add(name, value)
  }

  #give(name: string, value: string): void {
    this.#room -= bytesOf(name, value)
    // Headers beyond the limit are read too, because later blocks may refer to them.
    if (this.#room >= 0) this.#fields.push(name, value)
  }

  #nameAt(index: number): string {
    const inTable = index - STATIC_NAMES.length
    const name = inTable <= 0 ? STATIC_NAMES[index - 1] : this.#table.nameAt(inTable)
    if (name === undefined) throw new RangeError('an index beyond both tables')
    return name
  }

  #valueAt(index: number): string {
    if (index <= STATIC_NAMES.length) return STATIC_VALUES[index] ?? ''
    return this.#table.valueAt(index - STATIC_NAMES.length)
  }

  #resize(size: number): void {
    if (size > this.#limits.tableBytes) throw new RangeError('a dynamic table larger than SETTINGS_HEADER_TABLE_SIZE')
    this.#table.limitTo(size)
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
    throw new RangeError('an integer that is too large')
  }

  #text(): string {
    const isCompressed = (this.#block[this.#at] ?? 0) >= 0x80
    const length = this.#number(7)
    const start = this.#at
    const end = start + length
    if (end > this.#block.length) throw new RangeError('a field block ends within a string')
    this.#at = end
    return isCompressed ? decompress(this.#block, start, end) : this.#block.toString('latin1', start, end)
  }

  #byte(): number {
    const byte = this.#block[this.#at++]
    if (byte === undefined) throw new RangeError('a field block ends within an integer')
    return byte
  }
}

const EMPTY = Buffer.alloc(0)
