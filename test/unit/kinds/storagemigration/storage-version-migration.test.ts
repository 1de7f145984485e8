import { describe, it } from 'vitest'
import { expectColumns } from '../columns.ts'

describe('columns', () => {
  it('storagemigration.k8s.io StorageVersionMigration has these columns', () =>
    expectColumns('storagemigration.k8s.io StorageVersionMigration', ['Name', 'Resource', 'Status']))
})
