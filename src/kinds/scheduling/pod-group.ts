// Pod groups: pods that are scheduled together. Off by default.
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { mapAt, orNone, textAt } from '../../codec/tables/reading.ts'
import type { Kind } from '../kind.ts'
import { stateOf } from '../shared/condition-column.ts'

export const POD_GROUP: Kind = {
  columns: tableOf([
    NAME,
    column(
      'Policy',
      'How its pods are scheduled.',
      (one) => Object.keys(mapAt(one, 'spec', 'schedulingPolicy'))[0] ?? '<none>',
    ),
    column('Workload', 'What it belongs to.', (one) =>
      orNone(textAt(one, 'spec', 'podGroupTemplateRef', 'workload', 'workloadName')),
    ),
    column('Status', 'Whether its pods are scheduled.', (one) => stateOf(one, ['PodGroupScheduled'], 'Pending')),
    AGE,
  ]),
}
