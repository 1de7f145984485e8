import { describe, expect, it } from 'vitest'
import { equalValues, own, setOwn, sharedWith } from '../../../src/api/value.ts'
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

describe('a value that shares what it can with another', () => {
  it('is the other itself where they are equal, whatever the order of keys', () => {
    const known: Value = { a: [1, { b: 'x' }], c: null }
    expect(sharedWith({ c: null, a: [1, { b: 'x' }] }, known)).toBe(known)
  })

  it('has the equal parts of the other, and keeps its own differences', () => {
    const known = { same: { deep: [1] }, list: [{ a: 1 }, { b: 1 }], gone: 1 }
    const value = { same: { deep: [1] }, list: [{ a: 1 }, { b: 2 }, { c: 3 }], more: true }
    const shared = sharedWith(value, known) as typeof value
    expect(shared).toEqual(value)
    expect(shared.same).toBe(known.same)
    expect(shared.list[0]).toBe(known.list[0])
    expect(value.list).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }])
  })

  it.each<[string, Value, Value | undefined]>([
    ['nothing to share', { a: 1 }, undefined],
    ['a list and a map', [], {}],
    ['a shorter list', [1], [1, 2]],
    ['fewer members', { a: 1 }, { a: 1, b: 2 }],
    ['null and a map', null, {}],
  ])('stays itself: %s', (_name, value, known) => {
    expect(sharedWith(value, known)).toBe(value)
  })
})
