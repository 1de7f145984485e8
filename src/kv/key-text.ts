// The store has keys as bytes, and the code handles them as texts. Most are UTF-8. A byte that is not UTF-8 becomes a lone surrogate
// (U+DC80 to U+DCFF), which UTF-8 cannot encode. So every key has one text, and the text gives the same bytes back.
import { isUtf8 } from 'node:buffer'

const ESCAPE = 0xdc00
const REPLACEMENT = '\ufffd'

export function keyToBytes(key: string): Buffer {
  return key.isWellFormed() ? Buffer.from(key) : escapedToBytes(key)
}

/** Decodes the key in a part of the bytes. */
export function keyFromBytes(bytes: Buffer, from = 0, to: number = bytes.length): string {
  const text = bytes.toString('utf8', from, to)
  // This character marks bytes that are not UTF-8, unless the key itself contains the character.
  return text.includes(REPLACEMENT) ? exactFromBytes(bytes.subarray(from, to), text) : text
}

function exactFromBytes(bytes: Buffer, text: string): string {
  return isUtf8(bytes) ? text : escapedFromBytes(bytes)
}

function escapedToBytes(key: string): Buffer {
  const parts: Buffer[] = []
  // A lone low surrogate is a byte. The characters between two of them are UTF-8 text.
  for (const part of key.split(/(?<![\ud800-\udbff])([\udc80-\udcff])/)) {
    const isByte = part.length === 1 && !part.isWellFormed()
    parts.push(isByte ? Buffer.of(part.charCodeAt(0) - ESCAPE) : Buffer.from(part))
  }
  return Buffer.concat(parts)
}

function escapedFromBytes(bytes: Buffer): string {
  let text = ''
  for (let at = 0; at < bytes.length; ) {
    const length = lengthOfCharacter(bytes, at)
    text += length === 0 ? String.fromCharCode(ESCAPE + bytes[at]!) : bytes.toString('utf8', at, at + length)
    at += Math.max(1, length)
  }
  return text
}

/** The number of bytes of the character at `at`. 0: the bytes there are not UTF-8. */
function lengthOfCharacter(bytes: Buffer, at: number): number {
  const first = bytes[at]!
  const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  return at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length)) ? length : 0
}
