import { describe, expect, it } from 'vitest'
import { explainConflicts, withoutValues } from '../../../src/patch/conflict-explanation.ts'
import { EMPTY_SET } from '../../../src/patch/field-set.ts'

const manager = {
  name: 'scaler',
  operation: 'Update',
  apiVersion: 'apps/v1',
  subresource: 'scale',
  fields: EMPTY_SET,
  time: '2026-01-01T00:00:00Z',
} as const
const owner = {
  manager: 'scaler',
  operation: 'Update',
  apiVersion: 'apps/v1',
  subresource: 'scale',
  time: '2026-01-01T00:00:00Z',
}

const explain = (path: readonly string[], live: object, applied: object) =>
  explainConflicts([{ manager, path }], live as never, applied as never).conflicts[0]

describe('the explanation of a conflict', () => {
  it('has both values, and by which request the field came to its owner', () => {
    expect(explain(['f:spec', 'f:replicas'], { spec: { replicas: 3 } }, { spec: { replicas: 1 } })).toEqual({
      field: '.spec.replicas',
      owner,
      current: 3,
      applied: 1,
    })
  })

  it.each<[string, readonly string[], object, unknown]>([
    ['a key', ['f:list', 'k:{"name":"a","port":1}', 'f:v'], { list: [{ name: 'b' }, { name: 'a', port: 1, v: 2 }] }, 2],
    ['a value', ['f:list', 'v:"b"'], { list: ['a', 'b'] }, 'b'],
    ['a place', ['f:list', 'i:1'], { list: ['a', 'b'] }, 'b'],
    ['a name that all objects inherit', ['f:constructor'], {}, undefined],
    ['nothing', ['f:a', 'f:b', 'i:0', 'k:{"a":1}', 'v:1'], { a: 1 }, undefined],
    ['a large integer', ['f:n'], { n: 9007199254740993n }, 9007199254740993n],
    ['too much to be shown', ['f:text'], { text: 'x'.repeat(1000) }, undefined],
  ])('finds %s', (_, path, live, current) => {
    expect(explain(path, live, {})?.current).toEqual(current)
  })

  it('is limited to a hundred fields', () => {
    const conflicts = Array.from({ length: 101 }, (_, i) => ({ manager, path: [`f:${i}`] }))
    expect(explainConflicts(conflicts, {}, {}).conflicts).toHaveLength(100)
  })

  it('says to who may not read no more than the message does', () => {
    const explanation = explainConflicts([{ manager, path: ['f:a'] }], { a: 1 }, { a: 2 })
    const { time: _, ...named } = owner
    expect(withoutValues(explanation).conflicts).toEqual([{ field: '.a', owner: named }])
  })
})
