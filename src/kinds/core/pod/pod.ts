// Pods, and the kinds that only their subresources use.
import type { Pod, PodLogOptions, PodStatusResult } from '../../../api/gen/kinds.ts'
import { absent, gated, within } from '../../../schema/defaults/rule.ts'
import { type Kind, typedKind } from '../../kind.ts'
import { COLUMNS } from './columns.ts'
import { DEFAULTS, podStatus } from './defaults.ts'
import { STRATEGY, STRATEGY_WITH_CLAIMS } from './strategy.ts'
import { VALIDATION, VALIDATION_WITH_CLAIMS } from './validation.ts'

export const POD: Kind = typedKind<Pod>({
  validation: VALIDATION,
  since: { '1.37': { validation: VALIDATION_WITH_CLAIMS, strategy: STRATEGY_WITH_CLAIMS } },
  defaults: DEFAULTS,
  strategy: STRATEGY,
  columns: COLUMNS,
})

export const POD_LOG_OPTIONS: Kind = {
  defaults: within<PodLogOptions>({ stream: gated('PodLogsQuerySplitStreams', absent('All')) }),
}

export const POD_STATUS_RESULT: Kind = {
  defaults: within<PodStatusResult>({ status: podStatus }),
}
