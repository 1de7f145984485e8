import { describe, it } from 'vitest'
import { expectColumns } from '../columns.ts'

describe('columns', () => {
  it('scheduling.k8s.io PodGroup has these columns', () =>
    expectColumns('scheduling.k8s.io PodGroup', ['Name : string name', 'Policy', 'Workload', 'Status', 'Age']))
})
