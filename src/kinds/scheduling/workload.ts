// Workloads: what groups of pods are made from. Its versions are off by default.
import { AGE, NAME, tableOf } from '../../codec/tables/column.ts'
import type { Kind } from '../kind.ts'

export const SCHEDULED_WORKLOAD: Kind = {
  columns: tableOf([NAME, AGE]),
}
