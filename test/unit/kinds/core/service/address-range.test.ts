import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  addressAt,
  addressRange,
  canonicalAddress,
  offsetOf,
} from '../../../../../src/kinds/core/service/address-range.ts'

describe('a range of addresses', () => {
  test('leaves out the network and, in IPv4, the address of all of it', () => {
    const range = addressRange('10.96.0.0/24')
    expect(offsetOf(range, '10.96.0.0')).toBeUndefined()
    expect(offsetOf(range, '10.96.0.1')).toBe(1n)
    expect(offsetOf(range, '10.96.0.254')).toBe(254n)
    expect(offsetOf(range, '10.96.0.255')).toBeUndefined()
    expect(offsetOf(range, '10.96.1.1')).toBeUndefined()
    expect(offsetOf(range, 'fd00::1')).toBeUndefined()
    expect(offsetOf(addressRange('fd00::/120'), 'fd00::ff')).toBe(255n)
  })

  const bands = [
    { range: '10.0.0.0/28', from: 1n },
    { range: '10.0.0.0/27', from: 17n },
    { range: '10.0.0.0/24', from: 17n },
    { range: '10.0.0.0/22', from: 65n },
    { range: '10.0.0.0/8', from: 257n },
    { range: 'fd00::/64', from: 257n },
  ]
  test.each(bands)('of $range keeps what is below $from for those who ask', ({ range, from }) => {
    expect(addressRange(range).dynamicFrom).toBe(from)
  })

  test('counts there and back', () => {
    for (const text of ['10.96.0.0/12', 'fd00:10:96::/112']) {
      const range = addressRange(text)
      fc.assert(
        fc.property(fc.bigInt(range.first, range.last), (offset) => {
          expect(offsetOf(range, addressAt(range, offset))).toBe(offset)
        }),
      )
    }
  })

  const spellings = [
    ['FD00:0:0:0:0:0:0:1', 'fd00::1'],
    ['::', '::'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['::ffff:10.0.0.1', '::ffff:a00:1'],
    ['1:0:2:3:4:5:6:7', '1:0:2:3:4:5:6:7'],
    ['10.0.0.1', '10.0.0.1'],
  ]
  test.each(spellings)('spells %s as %s', (given, right) => {
    expect(canonicalAddress(given)).toBe(right)
  })
})
