import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns } from '../columns.ts'
import { changes, judge, QUALIFIED, type Row, rows } from '../judging.ts'

describe('columns', () => {
  it('storage.k8s.io VolumeAttributesClass has these columns', () =>
    expectColumns('storage.k8s.io VolumeAttributesClass', ['Name : string name', 'DriverName', 'Age']))

  it.each<CellRow>([['storage.k8s.io VolumeAttributesClass', 'any', { driverName: 'd' }, ['d']]])(
    'of %s, %s',
    expectCells,
  )
})

describe('validation', () => {
  it.each<Row>([
    ...rows(
      'storage.k8s.io/v1 VolumeAttributesClass',
      ['no driver', { driverName: '' }, 'driverName: Required value'],
      ['no parameters', { parameters: {} }, 'parameters: Required value: must contain at least one key/value pair'],
      ['a bad name', { driverName: 'a b' }, `driverName: Invalid value: "a b": ${QUALIFIED}`],
    ),
    ...changes('storage.k8s.io/v1 VolumeAttributesClass', [
      'other parameters',
      {},
      { parameters: { a: 'c' } },
      'parameters: Forbidden: updates to parameters are forbidden.',
    ]),
  ])('$of: $case', judge)
})
