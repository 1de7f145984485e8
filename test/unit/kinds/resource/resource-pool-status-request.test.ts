import { describe, it } from 'vitest'
import { expectColumns } from '../columns.ts'

describe('columns', () => {
  it('resource.k8s.io ResourcePoolStatusRequest has these columns', () =>
    expectColumns('resource.k8s.io ResourcePoolStatusRequest', [
      'Name : string name',
      'Driver',
      'Total',
      'Available',
      'Allocated',
      'Unavailable',
      'Errors',
      'Pools : integer',
      'Status',
      'Completed',
    ]))
})
