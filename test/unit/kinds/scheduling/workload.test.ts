import { describe, it } from 'vitest'
import { expectColumns } from '../columns.ts'

describe('columns', () => {
  it('scheduling.k8s.io Workload has these columns', () =>
    expectColumns('scheduling.k8s.io Workload', ['Name : string name', 'Age']))
})
