// Component statuses: the health of the control plane, which is not stored.
import type { ComponentCondition, ComponentStatus } from '../../api/gen/kinds.ts'
import { column, NAME, tableOf } from '../../codec/tables/column.ts'
import { type Kind, typedKind } from '../kind.ts'

function healthOf({ conditions = [] }: ComponentStatus): ComponentCondition | undefined {
  return conditions.find(({ type }) => type === 'Healthy')
}

function health(status: ComponentStatus): string {
  const condition = healthOf(status)
  if (condition === undefined) return 'Unknown'
  return condition.status === 'True' ? 'Healthy' : 'Unhealthy'
}

export const COMPONENT_STATUS: Kind = typedKind<ComponentStatus>({
  columns: tableOf([
    NAME,
    column('Status', 'Whether the component is healthy.', health),
    column('Message', 'The message of the check.', (one) => healthOf(one)?.message ?? ''),
    column('Error', 'The error of the check.', (one) => healthOf(one)?.error ?? ''),
  ]),
  deprecations: ['v1 ComponentStatus is deprecated in v1.19+'],
})
