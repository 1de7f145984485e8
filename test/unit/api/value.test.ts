import { describe, expect, it } from 'vitest'
import { equalValues, own, setOwn } from '../../../src/api/value.ts'
import type { Value } from '../../../src/api/value.ts'

describe('values', () => {
  it('a key named __proto__ is plain data', () => {
    const map: Record<string, Value> = {}
    setOwn(map, '__proto__', 1)
    expect(own(map, '__proto__')).toBe(1)
    expect(own({}, '__proto__')).toBeUndefined()
    expect(Object.keys(map)).toEqual(['__proto__'])
  })

  it.each<[string, Value, Value, boolean]>([
    ['key order does not matter', { a: 1, b: 2 }, { b: 2, a: 1 }, true],
    ['a missing key is not an undefined one', { a: 1 }, { b: 1 }, false],
    ['an integer equals its bigint', 1, 1n, true],
    ['big integers are compared exactly', 9007199254740993n, 9007199254740992n, false],
    ['a list is not a map', [], {}, false],
    ['null is not absent', { a: null }, {}, false],
    ['lists compare in order', [1, 2], [2, 1], false],
  ])('%s', (_name, a, b, equal) => {
    expect(equalValues(a, b)).toBe(equal)
  })
})
