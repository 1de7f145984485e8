// CRC-32C (Castagnoli), which Node does not have: its own `crc32` uses another polynomial.

const POLYNOMIAL = 0x82f63b78

const TABLE: Readonly<Int32Array> = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0)
  return crc
})

/** The checksum of `bytes` and of the bytes before them, whose checksum is `before`. */
export function crc32c(bytes: Uint8Array, before = 0): number {
  let crc = ~before
  for (let at = 0; at < bytes.length; at++) crc = TABLE[(crc ^ bytes[at]!) & 0xff]! ^ (crc >>> 8)
  return ~crc >>> 0
}
