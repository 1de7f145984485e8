// Pods, and the kinds that only their subresources use.
import { absent, gated, within } from '../../../schema/defaults/rule.ts'
import type { Kind } from '../../kind.ts'
import { COLUMNS } from './columns.ts'
import { DEFAULTS, podStatus } from './defaults.ts'
import { STRATEGY } from './strategy.ts'
import { VALIDATION } from './validation.ts'

export const POD: Kind = {
  validation: VALIDATION,
  defaults: DEFAULTS,
  strategy: STRATEGY,
  columns: COLUMNS,
}

export const POD_LOG_OPTIONS: Kind = {
  defaults: within({ stream: gated('PodLogsQuerySplitStreams', absent('All')) }),
}

export const POD_STATUS_RESULT: Kind = {
  defaults: within({ status: podStatus }),
}
