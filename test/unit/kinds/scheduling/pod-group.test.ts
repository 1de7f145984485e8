import { describe, it } from 'vitest'
import type { ValueMap } from '../../../../src/api/value.ts'
import { type CellRow, condition, expectCells, expectColumns } from '../columns.ts'

const GROUP = 'scheduling.k8s.io PodGroup'
const COMPOSITE = 'scheduling.k8s.io CompositePodGroup'

describe('columns', () => {
  it.each([
    [GROUP, ['Name : string name', 'Policy', 'Workload', 'Status', 'Age']],
    [COMPOSITE, ['Name : string name', 'Policy', 'Workload', 'Age']],
  ])('%s has these columns', expectColumns)

  const spec = { schedulingPolicy: { gang: {} }, workloadRef: { workloadName: 'w' } }
  const shown = (...conditions: readonly ValueMap[]): ValueMap => ({ spec, status: { conditions } })
  it.each<CellRow>([
    [GROUP, 'that nothing is known of', { spec: { schedulingPolicy: {} } }, ['Basic', '<none>', 'Pending']],
    [GROUP, 'that is scheduled', shown(condition('PodGroupInitiallyScheduled')), ['Gang', 'w', 'Scheduled']],
    [
      GROUP,
      'that does not fit',
      shown(condition('PodGroupInitiallyScheduled', 'False')),
      ['Gang', 'w', 'Unschedulable'],
    ],
    [
      GROUP,
      'that makes room',
      shown({ ...condition('DisruptionTarget'), reason: 'Preempted' }),
      ['Gang', 'w', 'Preempted'],
    ],
    [COMPOSITE, 'that is of a workload', { spec }, ['Gang', 'w']],
  ])('%s %s', expectCells)
})
