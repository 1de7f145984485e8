import { describe, expect, it } from 'vitest'
import { CUT_MARK, croppedText, croppedValue, MOST_SHOWN } from '../../../src/api/cropped-value.ts'
import { invalid, shownJson, shownMap } from '../../../src/api/field-error.ts'
import { FieldPath } from '../../../src/api/field-path.ts'
import type { Value } from '../../../src/api/value.ts'

const many = Object.fromEntries(Array.from({ length: 190_000 }, (_, i) => [`k${i}`, 'v']))

describe('a value that is shown', () => {
  it.each<[string, Value]>([
    ['a text', 'a'],
    ['a text that just fits', 'x'.repeat(MOST_SHOWN)],
    ['a number', 12],
    ['an integer beyond doubles', 12345678901234567890n],
    ['nothing', null],
    ['a list of maps', [{ a: [1, 'b', null] }, {}, []]],
    ['a map with a member named like the prototype', JSON.parse('{"__proto__":{"a":1},"b":{}}') as Value],
  ])('is whole where it is short: %s', (_name, value) => {
    expect(croppedValue(value)).toEqual(value)
  })

  it.each<[string, Value]>([
    ['a text', 'x'.repeat(3_000_000)],
    ['a long text in a list', ['x'.repeat(3_000_000)]],
    ['many items', Array.from({ length: 1_000_000 }, () => 1)],
    ['many members', many],
    ['a long name', { ['x'.repeat(100_000)]: 1, next: 2 }],
    ['many lists in lists', Array.from({ length: 300_000 }, () => [[]])],
  ])('is cut where it is long, and says so: %s', (_name, value) => {
    const text = JSON.stringify(croppedValue(value))
    expect(text.length).toBeLessThan(5 * MOST_SHOWN)
    expect(text).toContain(CUT_MARK)
  })

  it.each<[string, string]>([
    ['text', invalid(FieldPath.root('a'), 'x'.repeat(3_000_000), 'no').message],
    ['map', invalid(FieldPath.root('a'), many, 'no').message],
    ['map in order', shownMap(many).text],
    ['JSON', shownJson(many).text],
  ])('makes no message of megabytes: %s', (_name, message) => {
    expect(message.length).toBeLessThan(5 * MOST_SHOWN)
    expect(message).toContain(CUT_MARK)
  })

  it('begins as it would', () => {
    expect(croppedText('x'.repeat(MOST_SHOWN + 1))).toBe('x'.repeat(MOST_SHOWN) + CUT_MARK)
    expect(shownJson(many).text.slice(0, 20)).toBe('{"k0":"v","k1":"v","')
  })
})
