// Field blocks of HTTP/2 in their plainest form (RFC 7541), written from the RFC alone and not from the code that is tested:
// literals without indexing and without Huffman coding, and a reader for the little that our own end sends.

/** Appendix A, from its first entry that a response has. */
const STATIC_TABLE: readonly (readonly [string, string?])[] = [
  [':status', '200'],
  [':status', '204'],
  [':status', '206'],
  [':status', '304'],
  [':status', '400'],
  [':status', '404'],
  [':status', '500'],
  ['accept-charset'],
  ['accept-encoding', 'gzip, deflate'],
  ['accept-language'],
  ['accept-ranges'],
  ['accept'],
  ['access-control-allow-origin'],
  ['age'],
  ['allow'],
  ['authorization'],
  ['cache-control'],
  ['content-disposition'],
  ['content-encoding'],
  ['content-language'],
  ['content-length'],
  ['content-location'],
  ['content-range'],
  ['content-type'],
  ['cookie'],
  ['date'],
  ['etag'],
  ['expect'],
  ['expires'],
  ['from'],
  ['host'],
  ['if-match'],
  ['if-modified-since'],
  ['if-none-match'],
  ['if-range'],
  ['if-unmodified-since'],
  ['last-modified'],
  ['link'],
  ['location'],
  ['max-forwards'],
  ['proxy-authenticate'],
  ['proxy-authorization'],
  ['range'],
  ['referer'],
  ['refresh'],
  ['retry-after'],
  ['server'],
  ['set-cookie'],
  ['strict-transport-security'],
  ['transfer-encoding'],
  ['user-agent'],
  ['vary'],
  ['via'],
  ['www-authenticate'],
]
const FIRST_INDEX = 8

/** Literal Header Field without Indexing, New Name (section 6.2.2). */
export function literal(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.of(0x00), text(name), text(value)])
}

/** Literal Header Field with Incremental Indexing, New Name (section 6.2.1): the newest entry of the dynamic table, index 62. */
export function indexedLiteral(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.of(0x40), text(name), text(value)])
}

/** Indexed Header Field (section 6.1). */
export function indexed(index: number): Buffer {
  return integer(index, 7, 0x80)
}

export function block(fields: Readonly<Record<string, string>>): Buffer {
  return Buffer.concat(Object.entries(fields).map(([name, value]) => literal(name, value)))
}

/** The fields of a request, `:authority` and all. */
export function request(method: string, path: string, more: Readonly<Record<string, string>> = {}): Buffer {
  return block({ ':method': method, ':scheme': 'https', ':authority': 'here', ':path': path, ...more })
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1')
  return Buffer.concat([integer(bytes.length, 7, 0), bytes])
}

/** Section 5.1. */
function integer(value: number, prefixBits: number, pattern: number): Buffer {
  const most = 2 ** prefixBits - 1
  if (value < most) return Buffer.of(pattern | value)
  const bytes = [pattern | most]
  let rest = value - most
  while (rest >= 128) {
    bytes.push(128 + (rest % 128))
    rest = Math.floor(rest / 128)
  }
  return Buffer.from([...bytes, rest])
}

/** The fields of a response of ours. Throws where it is not written as plainly as it should be. */
export function fieldsOf(bytes: Buffer): readonly (readonly [string, string])[] {
  let at = 0
  const number = (prefixBits: number): number => {
    const most = 2 ** prefixBits - 1
    const first = bytes.readUInt8(at++) & most
    if (first < most) return first
    let value = most
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes.readUInt8(at++)
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value
    }
  }
  const string = (): string => {
    if (bytes.readUInt8(at) >= 0x80) throw new Error('Huffman coding')
    const length = number(7)
    at += length
    return bytes.toString('latin1', at - length, at)
  }
  const entry = (index: number): readonly [string, string?] => {
    const found = STATIC_TABLE[index - FIRST_INDEX]
    if (found === undefined) throw new Error(`no response has entry ${index}`)
    return found
  }
  const fields: (readonly [string, string])[] = []
  while (at < bytes.length) {
    const first = bytes.readUInt8(at)
    if (first >= 0x80) {
      const [name, value = ''] = entry(number(7))
      fields.push([name, value])
    } else if (first >= 0x40) throw new Error('incremental indexing')
    else if (first >= 0x20) number(5)
    else {
      const index = number(4)
      fields.push([index === 0 ? string() : entry(index)[0], string()])
    }
  }
  return fields
}

/** How a field may be written. */
export type Representation = 'plain' | 'never' | 'kept'

/** Writes the blocks of one connection, and keeps the dynamic table that its reader must have (section 2.3). */
export class BlockWriter {
  /** The newest first. */
  readonly #table: (readonly [string, string])[] = []
  #limit = 4096
  #update: number | undefined

  /** The next block begins with the word of it. */
  resize(limit: number): void {
    this.#limit = limit
    this.#update = limit
    this.#evict()
  }

  write(fields: readonly (readonly [string, string, Representation])[]): Buffer {
    const pieces = this.#update === undefined ? [] : [integer(this.#update, 5, 0x20)]
    this.#update = undefined
    return Buffer.concat([...pieces, ...fields.map((field) => this.#field(field))])
  }

  #field([name, value, representation]: readonly [string, string, Representation]): Buffer {
    const whole = this.#table.findIndex((entry) => entry[0] === name && entry[1] === value)
    if (whole !== -1 && representation !== 'never') return integer(FIRST_DYNAMIC + whole, 7, 0x80)
    const named = this.#table.findIndex((entry) => entry[0] === name)
    const [prefixBits, pattern] = representation === 'kept' ? [6, 0x40] : [4, representation === 'never' ? 0x10 : 0x00]
    const start = integer(named === -1 ? 0 : FIRST_DYNAMIC + named, prefixBits, pattern)
    if (representation === 'kept') {
      this.#table.unshift([name, value])
      this.#evict()
    }
    return Buffer.concat([start, ...(named === -1 ? [text(name)] : []), text(value)])
  }

  #evict(): void {
    const size = (): number => this.#table.reduce((sum, [name, value]) => sum + name.length + value.length + 32, 0)
    while (size() > this.#limit) this.#table.pop()
  }
}

const FIRST_DYNAMIC = 62
