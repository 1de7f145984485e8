import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { toSortKey } from '../../../src/kv/key-order.ts'
import { keyFromBytes, keyToBytes } from '../../../src/kv/key-text.ts'

it('keys in UTF-8 are their texts', () => {
  for (const key of ['/registry/pods/a', 'ä中\u{1f600}', '\ufffd', '']) {
    expect(keyFromBytes(Buffer.from(key))).toBe(key)
    expect(keyToBytes(key)).toEqual(Buffer.from(key))
  }
})

it('bytes that are not UTF-8 become lone surrogates', () => {
  expect(keyFromBytes(Buffer.of(0x61, 0xff, 0xc3, 0xa4, 0xc3))).toBe('a\udcffä\udcc3')
})

const someBytes = fc
  .array(fc.constantFrom(0, 0x61, 0x80, 0xbf, 0xc3, 0xa4, 0xed, 0xa0, 0xef, 0xbf, 0xbd, 0xf0, 0x9f, 0x98, 0xff), {
    maxLength: 8,
  })
  .map((bytes) => Buffer.from(bytes))

it('any bytes come back', () => {
  fc.assert(
    fc.property(someBytes, (bytes) => keyToBytes(keyFromBytes(bytes)).equals(bytes)),
    { numRuns: 3000 },
  )
})

it('sort keys compare as any bytes do', () => {
  fc.assert(
    fc.property(someBytes, someBytes, (a, b) => {
      const [x, y] = [toSortKey(keyFromBytes(a)), toSortKey(keyFromBytes(b))]
      return (x < y ? -1 : x > y ? 1 : 0) === Buffer.compare(a, b)
    }),
    { numRuns: 3000 },
  )
})
