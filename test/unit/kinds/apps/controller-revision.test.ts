import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns } from '../columns.ts'
import { judge, NOT_NEGATIVE, type Row, rows } from '../judging.ts'

describe('columns', () => {
  it('apps ControllerRevision has these columns', () =>
    expectColumns('apps ControllerRevision', ['Name : string name', 'Controller', 'Revision', 'Age']))

  it.each<CellRow>([
    [
      'apps ControllerRevision',
      'of a set',
      {
        metadata: { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 's', controller: true }] },
        revision: 7,
      },
      ['statefulset.apps/s', 7],
    ],
    ['apps ControllerRevision', 'of nobody', { revision: 9007199254740993n }, ['<none>', 9007199254740993n]],
  ])('of %s, %s', expectCells)
})

describe('validation', () => {
  it.each<Row>([
    ...rows(
      'apps/v1 ControllerRevision',
      ['no data', { data: undefined }, 'data: Required value: data is mandatory'],
      ['a revision below none', { revision: -1 }, `revision: Invalid value: -1: ${NOT_NEGATIVE}`],
    ),
  ])('$of: $case', judge)
})
