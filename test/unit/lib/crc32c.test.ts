import { expect, it } from 'vitest'
import { crc32c } from '../../../src/lib/crc32c.ts'

it.each([
  ['', 0],
  ['a', 0xc1d04330],
  ['123456789', 0xe3069283],
  ['The quick brown fox jumps over the lazy dog', 0x22620404],
])('the CRC-32C of %j', (text, wanted) => {
  expect(crc32c(Buffer.from(text))).toBe(wanted)
})

it('goes on from a checksum', () => {
  expect(crc32c(Buffer.from('6789'), crc32c(Buffer.from('12345')))).toBe(0xe3069283)
})
