import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatDuration, parseDuration } from '../../../src/lib/duration.ts'

describe('durations', () => {
  it.each([
    ['zero needs no unit', '0', '0s'],
    ['minutes carry their seconds', '1m', '1m0s'],
    ['hours carry all', '90m', '1h30m0s'],
    ['fractions', '1.5h', '1h30m0s'],
    ['below a second', '1500us', '1.5ms'],
    ['below a millisecond', '1500ns', '1.5µs'],
    ['nanoseconds', '7ns', '7ns'],
    ['the Greek letter', '2μs', '2µs'],
    ['negative', '-1h0.5s', '-1h0m0.5s'],
    ['a sum in any order', '1s1h', '1h0m1s'],
    ['the longest', '9223372036854775807ns', '2562047h47m16.854775807s'],
  ])('%s', (_name, text, canonical) => {
    const parsed = parseDuration(text)
    expect(parsed.ok && formatDuration(parsed.nanoseconds)).toBe(canonical)
  })

  it.each([
    ['empty', '', 'time: invalid duration ""'],
    ['a word', 'abc', 'time: invalid duration "abc"'],
    ['no unit', '5', 'time: missing unit in duration "5"'],
    ['an unknown unit', '5d', 'time: unknown unit "d" in duration "5d"'],
    ['too long', '9223372036854775808ns', 'time: invalid duration "9223372036854775808ns"'],
    ['quotes are escaped', '"', 'time: invalid duration "\\""'],
    ['other bytes are shown in hex', 'é', 'time: invalid duration "\\xc3\\xa9"'],
  ])('is refused: %s', (_name, text, message) => {
    expect(parseDuration(text)).toEqual({ ok: false, message })
  })

  it('any duration reads back from its text', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (nanoseconds) => {
        expect(parseDuration(formatDuration(nanoseconds))).toEqual({ ok: true, nanoseconds })
      }),
    )
  })
})
