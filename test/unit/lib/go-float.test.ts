import { describe, expect, it } from 'vitest'
import { formatFloat, formatNumber } from '../../../src/lib/go-float.ts'

describe('a double as Go prints it', () => {
  it.each([
    [100_000, '100000'],
    [1_000_000, '1e+06'],
    [123_456_789, '1.23456789e+08'],
    [1_234_567.5, '1.2345675e+06'],
    [1e21, '1e+21'],
    [1.5, '1.5'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [-1e-7, '-1e-07'],
    [-0, '-0'],
    [Infinity, '+Inf'],
    [NaN, 'NaN'],
  ])('%d is %s', (value, text) => {
    expect(formatFloat(value)).toBe(text)
  })

  it('is an integer where it came as one', () => {
    expect([1_000_000, -0, 1e18, 0.5].map(formatNumber)).toEqual(['1000000', '0', '1e+18', '0.5'])
  })
})
