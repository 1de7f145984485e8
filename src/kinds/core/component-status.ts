// Component statuses: the health of the control plane, which is not stored.
import type { ValueMap } from '../../api/value.ts'
import { column, NAME, tableOf } from '../../codec/tables/column.ts'
import { conditionAt, textAt } from '../../codec/tables/reading.ts'
import type { Kind } from '../kind.ts'

function health(status: ValueMap): string {
  const condition = conditionAt(status, 'Healthy', 'conditions')
  if (condition === undefined) return 'Unknown'
  return textAt(condition, 'status') === 'True' ? 'Healthy' : 'Unhealthy'
}

export const COMPONENT_STATUS: Kind = {
  columns: tableOf([
    NAME,
    column('Status', 'Whether the component is well.', health),
    column('Message', 'What the check said.', (one) => textAt(conditionAt(one, 'Healthy', 'conditions'), 'message')),
    column('Error', 'What the check failed with.', (one) => textAt(conditionAt(one, 'Healthy', 'conditions'), 'error')),
  ]),
  deprecations: ['v1 ComponentStatus is deprecated in v1.19+'],
}
