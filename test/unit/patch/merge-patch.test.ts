import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Value } from '../../../src/api/value.ts'
import { applyMergePatch } from '../../../src/patch/merge-patch.ts'

describe('merge patch (RFC 7386) (W-190, W-191)', () => {
  it.each<[string, Value, Value, Value]>([
    ['replaces a scalar', { a: 'b' }, { a: 'c' }, { a: 'c' }],
    ['adds a member', { a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    ['null takes a member away', { a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    ['a list replaces a list', { a: ['b'] }, { a: ['c'] }, { a: ['c'] }],
    ['objects merge', { a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    ['nulls in something new are dropped', {}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    ['nulls in lists stay', {}, { a: [null] }, { a: [null] }],
    [
      'nulls in objects of lists are dropped',
      { a: [{ b: 1 }] },
      { a: [{ b: null, c: { d: null } }, [null, { e: null, f: 1 }]] },
      { a: [{ c: {} }, [null, { f: 1 }]] },
    ],
    ['an object replaces a list', { a: [1] }, { a: { b: 1 } }, { a: { b: 1 } }],
    ['the empty patch changes nothing', { a: 1 }, {}, { a: 1 }],
  ])('%s', (_name, target, patch, expected) => {
    expect(applyMergePatch(target, patch)).toEqual(expected)
  })

  it('treats __proto__ as a key like any other', () => {
    const patch = JSON.parse('{"__proto__":{"polluted":1},"b":2}') as Value
    const merged = applyMergePatch({ a: 1 }, patch) as object
    expect(Object.keys(merged).toSorted()).toEqual(['__proto__', 'a', 'b'])
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it('changes nothing the second time', () => {
    const json = fc.jsonValue({ maxDepth: 4 }).map((value) => value as Value)
    fc.assert(
      fc.property(json, json, (target, patch) => {
        const once = applyMergePatch(target, patch)
        expect(applyMergePatch(once, patch)).toEqual(once)
      }),
    )
  })
})
