// Events of the core group, which are deleted after a while.
import type { Kind } from '../kind.ts'
import { EVENT_COLUMNS } from '../shared/event-columns.ts'
import { CORE_VALIDATION, eventStrategy } from '../shared/event.ts'

export const EVENT: Kind = {
  validation: CORE_VALIDATION,
  strategy: eventStrategy,
  columns: EVENT_COLUMNS,
}
