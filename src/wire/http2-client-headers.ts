// Reads the headers of etcd's answers. The client keeps no table of past headers, and tells etcd so. Therefore each block can be read
// alone. Most answers have the same headers, so the last blocks are remembered with their headers.
import { HeaderDecoder } from './hpack.ts'

const RECENT_BLOCKS = 4
const RECENT_BYTES = 200

/** The largest block of headers. etcd sends no block of this size. */
export const HEADERS_BYTES = 1 << 18

export class HeaderReader {
  readonly #decoder = new HeaderDecoder({ tableBytes: 0, listBytes: HEADERS_BYTES })
  readonly #recent: { readonly block: Buffer; readonly fields: ReadonlyMap<string, string> }[] = []

  /** Throws `RangeError` for a malformed block. */
  read(block: Buffer): ReadonlyMap<string, string> {
    for (const known of this.#recent) if (known.block.equals(block)) return known.fields
    const fields = mapOf(this.#decoder.decode(block))
    if (block.length > RECENT_BYTES) return fields
    if (this.#recent.length === RECENT_BLOCKS) this.#recent.shift()
    this.#recent.push({ block: Buffer.from(block), fields })
    return fields
  }
}

function mapOf(list: readonly string[] | undefined): ReadonlyMap<string, string> {
  if (list === undefined) throw new RangeError('headers that are too long')
  const fields = new Map<string, string>()
  for (let at = 0; at < list.length; at += 2) fields.set(list[at]!, list[at + 1]!)
  return fields
}
