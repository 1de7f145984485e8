import { describe, expect, it } from 'vitest'
import { isIntOrString, percentOf, scaledIntOrPercent } from '../../../src/schema/int-or-string.ts'

describe('int or string', () => {
  it('is a 32-bit integer or a string', () => {
    expect([80, -1, 'http', ''].every(isIntOrString)).toBe(true)
    expect([1.5, 2 ** 31, null, true, 2n ** 40n].some(isIntOrString)).toBe(false)
  })

  it('reads percentages', () => {
    expect(percentOf('25%')).toBe(25)
    expect(percentOf('25')).toBeUndefined()
    expect(percentOf('2.5%')).toBeUndefined()
  })

  it('scales a percentage, rounding as asked', () => {
    expect(scaledIntOrPercent('25%', 10, true)).toBe(3)
    expect(scaledIntOrPercent('25%', 10, false)).toBe(2)
    expect(scaledIntOrPercent(4, 10, false)).toBe(4)
    expect(scaledIntOrPercent('x', 10, false)).toBeUndefined()
  })
})
