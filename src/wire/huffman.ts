// Decompresses the texts of HTTP/2 headers (RFC 7541, section 5.2), eight bits at a time. Invariant: a malformed text throws, and no part
// of it is returned.

/** The number of bits in the code of each byte. The last item is for the code of the end. Codes of one length are consecutive. */
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

/**
 * The table has rows with an entry for each value of a byte of compressed text. If a code ends in the byte, the entry has the code's symbol
 * and the number of its bits in the byte. Otherwise it is the number of the row for the next byte.
 */
const ROW_LENGTH = 256
const IS_SYMBOL = 0x8000
const SYMBOL_BITS = 9
const SYMBOL_MASK = (1 << SYMBOL_BITS) - 1

const ROWS: Uint16Array = rowsOf(CODE_BITS)

function rowsOf(lengths: readonly number[]): Uint16Array {
  const rows = Array.from({ length: ROW_LENGTH }, () => 0)
  for (let bits = 0, code = 0; bits <= LONGEST_CODE; bits++, code *= 2) {
    lengths.forEach((length, symbol) => {
      if (length === bits) enter(rows, { code: code++, bits, symbol })
    })
  }
  return Uint16Array.from(rows)
}

function enter(rows: number[], { code, bits, symbol }: { code: number; bits: number; symbol: number }): void {
  let row = 0
  let left = bits
  for (; left > 8; left -= 8) {
    const at = row * ROW_LENGTH + ((code >>> (left - 8)) & 0xff)
    if (rows[at] === 0) {
      rows[at] = rows.length / ROW_LENGTH
      for (let i = 0; i < ROW_LENGTH; i++) rows.push(0)
    }
    row = rows[at]!
  }
  const first = row * ROW_LENGTH + ((code << (8 - left)) & 0xff)
  rows.fill(IS_SYMBOL | (left << SYMBOL_BITS) | symbol, first, first + (1 << (8 - left)))
}

export function decompress(bytes: Buffer, start: number, end: number): string {
  const text = Buffer.allocUnsafe(Math.ceil(((end - start) * 8) / SHORTEST_CODE))
  let length = 0
  let row = 0
  let pending = 0
  let bits = 0
  for (let at = start; at < end || bits > 0; ) {
    if (bits < 8 && at < end) {
      pending = ((pending << 8) | bytes[at++]!) & 0xffff
      bits += 8
    }
    const next = bits < 8 ? pending << (8 - bits) : pending >>> (bits - 8)
    const entry = ROWS[row * ROW_LENGTH + (next & 0xff)]!
    const used = (entry & IS_SYMBOL) === 0 ? 8 : (entry & ~IS_SYMBOL) >>> SYMBOL_BITS
    if (used > bits) break
    bits -= used
    if ((entry & IS_SYMBOL) === 0) {
      row = entry
      continue
    }
    const symbol = entry & SYMBOL_MASK
    if (symbol === END_OF_TEXT) throw new RangeError('a string that is not Huffman coded')
    text[length++] = symbol
    row = 0
  }
  // The padding is the beginning of the code of the end, which has only ones.
  const rest = (1 << bits) - 1
  if (row !== 0 || (pending & rest) !== rest) throw new RangeError('a string that is not Huffman coded')
  return text.toString('latin1', 0, length)
}
