// Taint rules of devices. A taint with a new effect gets a new time.
import { FieldPath } from '../../api/field-path.ts'
import type { DeviceTaintRule, DeviceTaintRuleSpec, DeviceTaintSelector } from '../../api/gen/kinds.ts'
import { withMembers } from '../../api/object-members.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { ageOf } from '../../codec/tables/elapsed.ts'
import { always, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { type Kind, typedKind } from '../kind.ts'
import { builtInRules } from '../shared/built-in-rules.ts'
import { checkConditions } from '../shared/conditions.ts'
import { checkDriverName } from '../shared/pod-spec/volume-source.ts'
import { GENERATION_OF_SPEC, WITH_STATUS_ALONE } from '../shared/strategies.ts'
import { checkDeviceName, checkPoolName } from './device-names.ts'

const SPEC = FieldPath.root<DeviceTaintRuleSpec>('spec')
const CONDITIONS = FieldPath.root('status').child('conditions')
const TAINT = 'resource.k8s.io_v1.DeviceTaint'
const MAX_CONDITIONS = 8

function checkSelector({ driver, pool, device }: DeviceTaintSelector, at: FieldPath, check: Check): void {
  if (driver !== undefined) checkDriverName(driver, at.child('driver'), check)
  if (pool !== undefined) checkPoolName(pool, at.child('pool'), check)
  if (device !== undefined) checkDeviceName(device, at.child('device'), check)
}

function checkRule({ spec }: DeviceTaintRule, check: Check, stored?: DeviceTaintRule): void {
  const { deviceSelector, taint } = spec
  const at = SPEC.child('taint')
  if (deviceSelector !== undefined) checkSelector(deviceSelector, SPEC.child('deviceSelector'), check)
  check.fields(taint, at, TAINT, 'key', 'value')
  if (stored?.spec.taint.effect !== taint.effect) check.fields(taint, at, TAINT, 'effect')
}

/** A new effect begins now, unless the client sends a new time. */
function withTimeOfEffect(object: DeviceTaintRule, stored: DeviceTaintRule, now: string): DeviceTaintRule {
  const [taint, before] = [object.spec.taint, stored.spec.taint]
  if (taint.effect === before.effect || taint.timeAdded !== before.timeAdded) return object
  return { ...object, spec: withMembers(object.spec, { taint: withMembers(taint, { timeAdded: now }) }) }
}

export const DEVICE_TAINT_RULE: Kind = typedKind<DeviceTaintRule>({
  validation: builtInRules({
    object: checkRule,
    status: ({ status: { conditions = [] } }, _stored, check) => {
      checkConditions(conditions, CONDITIONS, check)
      if (conditions.length > MAX_CONDITIONS) check.tooMany(CONDITIONS, conditions.length, MAX_CONDITIONS)
    },
  }),
  defaults: within({ spec: always({ taint: always({ timeAdded: (given, { now }) => given ?? now() }) }) }),
  strategy: {
    generation: GENERATION_OF_SPEC,
    status: WITH_STATUS_ALONE,
    answersDeleteWithObject: ['v1alpha3', 'v1beta2'],
    conditionalUpdate: ['v1'],
    prepareForUpdate: (object, stored, { now }) => withTimeOfEffect(object, stored, now),
  },
  columns: tableOf([
    NAME,
    column('Key', 'The key of the taint.', ({ spec }) => spec.taint.key),
    column('Value', 'The value of the taint.', ({ spec }) => spec.taint.value ?? ''),
    column('Effect', 'The effect of the taint.', ({ spec }) => spec.taint.effect),
    column('TimeAdded', 'The time since the taint was added.', ({ spec }, now) =>
      ageOf(spec.taint.timeAdded ?? '', now),
    ),
    AGE,
  ]),
})
