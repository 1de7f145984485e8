import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns } from '../columns.ts'

describe('columns', () => {
  it('coordination.k8s.io LeaseCandidate has these columns', () =>
    expectColumns('coordination.k8s.io LeaseCandidate', [
      'Name : string name',
      'LeaseName',
      'BinaryVersion',
      'EmulationVersion',
      'Age',
    ]))

  it.each<CellRow>([
    [
      'coordination.k8s.io LeaseCandidate',
      'any',
      { spec: { leaseName: 'l', binaryVersion: '1', emulationVersion: '2' } },
      ['l', '1', '2'],
    ],
  ])('of %s, %s', expectCells)
})
