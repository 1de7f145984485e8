import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addQuantities,
  asInt64,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  quantityOf,
  quantityToNumber,
  scaledValue,
  subtractQuantities,
} from '../../../src/lib/quantity.ts'
import type { Quantity } from '../../../src/lib/quantity.ts'

const FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
const NUMBER = 'unable to parse numeric part of quantity'
const SUFFIX = "unable to parse quantity's suffix"

function quantity(text: string): Quantity {
  const parsed = parseQuantity(text)
  if (!parsed.ok) throw new Error(`${text}: ${parsed.message}`)
  return parsed.quantity
}

describe('the canonical form of a quantity', () => {
  it.each([
    ['zero', '0', '0'],
    ['zero with a suffix', '0Gi', '0'],
    ['a fraction becomes thousandths', '1.5', '1500m'],
    ['a leading zero is no digit', '0.5', '500m'],
    ['thousandths of a thousand', '1000m', '1'],
    ['the largest suffix that loses nothing', '100000', '100k'],
    ['no suffix between the thousands', '1100', '1100'],
    ['binary stays binary', '1536Mi', '1536Mi'],
    ['a binary fraction', '1.5Gi', '1536Mi'],
    ['binary goes up', '1024Ki', '1Mi'],
    ['small binary amounts are decimal', '0.5Ki', '512'],
    ['a binary amount that is not whole', '1.0001Ki', '1024102400u'],
    ['an exponent stays an exponent', '2e3', '2e3'],
    ['an exponent is a multiple of three', '2e4', '20e3'],
    ['a negative exponent', '5e-3', '5e-3'],
    ['an exponent of zero vanishes', '1000e-3', '1'],
    ['finer than a nano rounds up', '0.1n', '1n'],
    ['far below a nano', '1e-400', '1e-9'],
    ['negative rounds away from zero', '-0.1n', '-1n'],
    ['binary is capped', '8Ei', '9223372036854775807'],
    ['decimal is not capped', '18446744073709551616', '18446744073709551616'],
    ['beyond exa there is an exponent', '1000E', '1e21'],
    ['what counts as canonical keeps its text', '1.500', '1.500'],
    ['a plus sign', '+5', '+5'],
    ['a missing number is zero', 'Mi', '0'],
    ['a lone point is zero', '.', '0'],
  ])('%s', (_name, text, canonical) => {
    expect(formatQuantity(quantity(text))).toBe(canonical)
  })

  it.each([
    ['empty', '', FORMAT],
    ['a word', 'abc', FORMAT],
    ['a space', '1 Gi', FORMAT],
    ['two points', '1.2.3', FORMAT],
    ['a fractional exponent', '1e3.5', FORMAT],
    ['a doubled suffix', '1mm', SUFFIX],
    ['an unknown suffix', '1Kib', FORMAT],
    ['a half suffix', '1i', SUFFIX],
    ['an exponent without digits', '1e', SUFFIX],
    ['a sign in place of a suffix', '1-5', SUFFIX],
    ['an absurd exponent', '1e1000000000', NUMBER],
    ['an absurd length', '9'.repeat(100_000), FORMAT],
  ])('is refused: %s', (_name, text, message) => {
    expect(parseQuantity(text)).toEqual({ ok: false, message })
  })
})

describe('arithmetic on quantities', () => {
  it('a sum keeps the format of its first part, and takes the second where that is zero', () => {
    expect(formatQuantity(addQuantities(quantity('1Gi'), quantity('500M')))).toBe('1573741824')
    expect(formatQuantity(addQuantities(quantity('1Gi'), quantity('1024M')))).toBe('2048576Ki')
    expect(formatQuantity(addQuantities(quantity('0'), quantity('1Gi')))).toBe('1Gi')
    expect(formatQuantity(addQuantities(quantity('100m'), quantity('900m')))).toBe('1')
  })

  it('a difference may be negative', () => {
    expect(formatQuantity(subtractQuantities(quantity('1'), quantity('1500m')))).toBe('-500m')
  })

  it('compares across suffixes', () => {
    expect(compareQuantities(quantity('1Gi'), quantity('1073741824'))).toBe(0)
    expect(compareQuantities(quantity('1G'), quantity('1Gi'))).toBe(-1)
    expect(compareQuantities(quantity('1001m'), quantity('1'))).toBe(1)
  })

  it('counts in a unit, rounding away from zero', () => {
    expect(scaledValue(quantity('1500m'), 0)).toBe(2n)
    expect(scaledValue(quantity('-1500m'), 0)).toBe(-2n)
    expect(scaledValue(quantity('1Ki'), -3)).toBe(1_024_000n)
    expect(asInt64(quantity('1500m'))).toBeUndefined()
    expect(asInt64(quantity('9223372036854775808'))).toBeUndefined()
    expect(quantityToNumber(quantity('1500m'))).toBe(1.5)
    expect(formatQuantity(quantityOf(3072, 'binarySI'))).toBe('3Ki')
  })
})

const arbitraryQuantity = fc
  .tuple(
    fc.constantFrom('', '-', '+'),
    fc.bigInt({ min: 0n, max: 10n ** 25n }),
    fc.option(fc.bigInt({ min: 0n, max: 10n ** 12n })),
    fc.constantFrom(
      '',
      'n',
      'u',
      'm',
      'k',
      'M',
      'G',
      'T',
      'P',
      'E',
      'Ki',
      'Mi',
      'Gi',
      'Ti',
      'Pi',
      'Ei',
      'e3',
      'E-7',
      'e14',
    ),
  )
  .map(([sign, whole, fraction, suffix]) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${suffix}`)

describe('any quantity', () => {
  it('is read alike with a sign and without', () => {
    const suffix = fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'P', 'E', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei')
    const thousands = fc.bigInt(1n, 10n ** 7n).map((n) => n * 1000n)
    const digits = fc.oneof(fc.integer({ min: 1, max: 4096 }), thousands, fc.bigInt(1n, 10n ** 20n))
    fc.assert(
      fc.property(digits, suffix, (number, unit) => {
        const { text, ...plain } = quantity(`${number}${unit}`)
        const { text: signedText, ...signed } = quantity(`+${number}${unit}`)
        expect(plain).toEqual(signed)
        expect(text === undefined).toBe(signedText === undefined)
      }),
    )
  })

  it('has a canonical form that is its own canonical form and the same amount', () => {
    fc.assert(
      fc.property(arbitraryQuantity, (text) => {
        const canonical = formatQuantity(quantity(text))
        expect(formatQuantity(quantity(canonical))).toBe(canonical)
        expect(compareQuantities(quantity(text), quantity(canonical))).toBe(0)
      }),
    )
  })

  it('any text is a quantity or a message', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'0123.eEKimn+-'.split('')) })), (text) => {
        expect(typeof parseQuantity(text).ok).toBe('boolean')
      }),
    )
  })
})
