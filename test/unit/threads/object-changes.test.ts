import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Value } from '../../../src/api/value.ts'
import { changed, changeOf } from '../../../src/threads/object-changes.ts'

const value = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Value>(null, true, 0, 2, 'a', '', 9007199254740993n, '__proto__'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), tie('value')),
  ),
})).value

describe('the change of a value', () => {
  it('makes the one of the other', () => {
    fc.assert(
      fc.property(value, value, (before, after) => {
        const change = changeOf(before, after)
        expect(change === undefined ? before : changed(before, structuredClone(change))).toEqual(after)
      }),
    )
  })

  it('is short where most is shared, and keeps what is shared', () => {
    const env = Array.from({ length: 1000 }, (_, i) => ({ name: `e${i}` }))
    const before = { spec: { containers: [{ name: 'c', env }], old: 1 } }
    const after = { spec: { containers: [{ name: 'c', env, image: 'i' }], node: 'n' } }
    const change = changeOf(before, after)!
    expect(JSON.stringify(change).length).toBeLessThan(200)
    const made = changed(before, change) as typeof after
    expect(made).toEqual(after)
    expect(made.spec.containers[0]!.env).toBe(env)
  })

  it('is none of a value to itself', () => {
    const same = { a: [1] }
    expect(changeOf(same, same)).toBeUndefined()
    expect(changeOf(same, { ...same })).toBeUndefined()
  })
})
