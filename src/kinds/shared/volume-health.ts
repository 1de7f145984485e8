// The health of volumes, in the status of pods and of claims.
import { shownJson } from '../../api/field-error.ts'
import type { FieldPath } from '../../api/field-path.ts'
import type { VolumeHealthStatus } from '../../api/gen/kinds.ts'
import type { Check } from '../../schema/validation/check.ts'
import { conditionReason } from '../../schema/validation/formats.ts'

const MAX_CONDITIONS = 16

type Health = Pick<VolumeHealthStatus, 'healthConditions'>

export function checkVolumeHealth(health: Health, at: FieldPath<Health>, check: Check): void {
  const { healthConditions: conditions = [] } = health
  const list = at.child('healthConditions')
  if (conditions.length > MAX_CONDITIONS) return check.tooMany(list, conditions.length, MAX_CONDITIONS)
  const keys = new Set<string>()
  check.each(health, 'healthConditions', at, (condition, place) => {
    const { status, reason } = condition
    if (reason !== '') check.format(place.child('reason'), reason, conditionReason(reason))
    check.fields(condition, place, 'core_v1.VolumeHealthCondition')
    const key = `${status}\n${reason}`
    if (keys.has(key)) check.duplicate(place, shownJson(condition))
    keys.add(key)
  })
}
