import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { toSortKey } from '../../../src/kv/key-order.ts'

it('plain keys are their own sort keys', () => {
  expect(toSortKey('/registry/pods/default/a')).toBe('/registry/pods/default/a')
  expect(toSortKey('/a\0\x7f')).toBe('/a\0\x7f')
})

it('sort keys compare as the UTF-8 bytes of their keys do', () => {
  const unit = fc.constantFrom(
    'a',
    '/',
    '\0',
    '\x7f',
    'é',
    '中',
    '\ud7ff',
    '\ue000',
    '\uffff',
    '\u{10000}',
    '\u{10ffff}',
  )
  const key = fc.string({ unit })
  fc.assert(
    fc.property(key, key, (a, b) => {
      const [x, y] = [toSortKey(a), toSortKey(b)]
      return (x < y ? -1 : x > y ? 1 : 0) === Buffer.compare(Buffer.from(a), Buffer.from(b))
    }),
    { numRuns: 1000 },
  )
})
