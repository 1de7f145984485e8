// Workloads: templates of pod groups. Off by default.
import { AGE, NAME, tableOf } from '../../codec/tables/column.ts'
import type { Kind } from '../kind.ts'

export const SCHEDULED_WORKLOAD: Kind = {
  columns: tableOf([NAME, AGE]),
}
