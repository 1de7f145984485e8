import { expect, it } from 'vitest'
import { type FieldSet, setOfFields } from '../../../src/patch/field-set.ts'
import { FieldSetMemo } from '../../../src/patch/field-set-memo.ts'
import { kindOf } from '../../corpora/built-in-kinds.ts'

const { shape } = kindOf('ConfigMap')
const set = setOfFields(['data.a'])
const other = setOfFields(['data.b'])

it.each<[string, FieldSet, number]>([
  ['fits is not looked at again', set, 1],
  ['does not fit is changed each time', other, 2],
])('a set that %s', (_name, result, times) => {
  const memo = new FieldSetMemo()
  let asked = 0
  const reconcile = (): FieldSet => {
    asked++
    return result
  }
  expect(memo.reconciled(set, shape, reconcile)).toBe(result)
  expect(memo.reconciled(set, shape, reconcile)).toBe(result)
  expect(asked).toBe(times)
})
