import { describe, expect, it } from 'vitest'
import { faultsOf } from '../../../src/api/fault-list.ts'
import { invalid, required } from '../../../src/api/field-error.ts'
import { FieldPath } from '../../../src/api/field-path.ts'

const AT = FieldPath.root('spec')

describe('faults of an object', () => {
  it('are told in the order in which they are found', () => {
    const faults = faultsOf((list) => {
      list.add(required(AT.child('a')))
      list.add(required(AT.child('b')))
    })
    expect(faults.map(({ field }) => field)).toEqual(['spec.a', 'spec.b'])
  })

  it.each<[string, string, number]>([
    ['many', 'x', 10_000],
    ['long', 'x'.repeat(50_000), 42],
  ])('are not looked for any more where they are too %s', (_, value, most) => {
    let found = 0
    const faults = faultsOf((list) => {
      for (; found < 1_000_000; found++) list.add(invalid(AT.index(found), value, 'is wrong'))
    })
    expect(found).toBe(most - 1)
    expect(faults).toHaveLength(most + 1)
    expect(faults.at(-1)).toEqual({
      reason: 'FieldValueInvalid',
      field: '<nil>',
      message:
        'Invalid value: null: validation stopped at too many errors; correct the existing errors to complete validation',
    })
  })

  it('do not hide what breaks', () => {
    expect(() =>
      faultsOf(() => {
        throw new TypeError('broken')
      }),
    ).toThrow('broken')
  })
})
