import { describe, it } from 'vitest'
import { type CellRow, condition, expectCells, expectColumns } from '../columns.ts'

describe('columns', () => {
  it('storagemigration.k8s.io StorageVersionMigration has these columns', () =>
    expectColumns('storagemigration.k8s.io StorageVersionMigration', ['Name', 'Resource', 'Status']))

  const spec = { resource: { group: 'apps', resource: 'deployments' } }
  it.each<CellRow>([
    [
      'storagemigration.k8s.io StorageVersionMigration',
      'that has not begun',
      { spec },
      ['deployments.apps', 'Unknown'],
    ],
    [
      'storagemigration.k8s.io StorageVersionMigration',
      'that failed',
      { spec, status: { conditions: [condition('Succeeded', 'False'), condition('Running'), condition('Failed')] } },
      ['deployments.apps', 'Failed'],
    ],
  ])('%s %s', expectCells)
})
