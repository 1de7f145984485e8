// Validation of the pod failure policy and the success policy of jobs.
import { OMITTED } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import {
  integerOrAbsent,
  isGiven,
  listOrEmpty,
  mapOrAbsent,
  mapOrEmpty,
  mapsInPlace,
  textOrAbsent,
  textOrEmpty,
} from '../../../api/members.ts'
import { specOf } from '../../../api/object-members.ts'
import type { ValueMap } from '../../../api/value.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { placedMaps } from '../../shared/placed-items.ts'
import { parseIndexes } from './indexes.ts'

const MAX_CODES = 255
const MAX_CONDITIONS = 20
const ACTIONS: readonly string[] = ['Count', 'FailIndex', 'FailJob', 'Ignore']

export function checkFailurePolicy(spec: ValueMap, at: FieldPath, check: Check): void {
  const policy = mapOrEmpty(spec, 'podFailurePolicy')
  check.fields(policy, at, 'batch_v1.PodFailurePolicy')
  const pod = specOf(mapOrEmpty(spec, 'template'))
  const containers = [...mapsInPlace(pod, 'containers'), ...mapsInPlace(pod, 'initContainers')]
  const names = new Set(containers.map((container) => textOrEmpty(container, 'name')))
  for (const [rule, place] of placedMaps(policy, 'rules', at)) {
    checkAction(textOrEmpty(rule, 'action'), isGiven(spec, 'backoffLimitPerIndex'), place.child('action'), check)
    const codes = mapOrAbsent(rule, 'onExitCodes')
    const conditions = placedMaps(rule, 'onPodConditions', place)
    if (codes !== undefined) checkCodes(codes, names, place.child('onExitCodes'), check)
    if (conditions.length > MAX_CONDITIONS) {
      check.tooMany(place.child('onPodConditions'), conditions.length, MAX_CONDITIONS)
    }
    for (const [condition, item] of conditions) {
      check.fields(condition, item, 'batch_v1.PodFailurePolicyOnPodConditionsPattern')
    }
    if (codes !== undefined && conditions.length > 0) {
      check.invalid(place, OMITTED, 'specifying both OnExitCodes and OnPodConditions is not supported')
    }
    if (codes === undefined && conditions.length === 0) {
      check.invalid(place, OMITTED, 'specifying one of OnExitCodes and OnPodConditions is required')
    }
  }
}

function checkAction(action: string, perIndex: boolean, at: FieldPath, check: Check): void {
  if (action === '') check.required(at, `valid values: [${ACTIONS.map((action) => `"${action}"`).join(' ')}]`)
  else if (action === 'FailIndex') {
    if (!perIndex) check.invalid(at, action, 'requires the backoffLimitPerIndex to be set')
  } else check.oneOf(at, action, ACTIONS)
}

function checkCodes(codes: ValueMap, names: ReadonlySet<string>, at: FieldPath, check: Check): void {
  const operator = textOrEmpty(codes, 'operator')
  check.fields(codes, at, 'batch_v1.PodFailurePolicyOnExitCodesRequirement')
  const container = textOrAbsent(codes, 'containerName')
  if (container !== undefined && !names.has(container)) {
    const detail = 'must be one of the container or initContainer names in the pod template'
    check.invalid(at.child('containerName'), container, detail)
  }
  const values = listOrEmpty(codes, 'values').map(Number)
  const list = at.child('values')
  if (values.length === 0)
    check.invalid(list, isGiven(codes, 'values') ? [] : undefined, 'at least one value is required')
  else if (values.length > MAX_CODES) check.tooMany(list, values.length, MAX_CODES)
  const seen = new Set<number>()
  for (const [i, value] of values.entries()) {
    if (operator === 'In' && value === 0) check.invalid(list.index(i), 0, 'must not be 0 for the In operator')
    check.unique(seen, value, list.index(i))
  }
  if (values.some((value, i) => i > 0 && (values[i - 1] ?? value) > value)) {
    check.invalid(list, values, 'must be ordered')
  }
}

export function checkSuccessPolicy(spec: ValueMap, at: FieldPath, check: Check): void {
  const policy = mapOrEmpty(spec, 'successPolicy')
  check.fields(policy, at, 'batch_v1.SuccessPolicy')
  const completions = Number(integerOrAbsent(spec, 'completions') ?? 0)
  for (const [rule, place] of placedMaps(policy, 'rules', at)) checkSuccessRule(rule, completions, place, check)
}

function checkSuccessRule(rule: ValueMap, completions: number, at: FieldPath, check: Check): void {
  const indexes = textOrAbsent(rule, 'succeededIndexes')
  const count = integerOrAbsent(rule, 'succeededCount')
  if (indexes === undefined && count === undefined) {
    check.required(at, 'at least one of succeededCount or succeededIndexes must be specified')
  }
  let total = 0
  if (indexes !== undefined) {
    check.fields(rule, at, 'batch_v1.SuccessPolicyRule', 'succeededIndexes')
    const parsed = parseIndexes(indexes, completions)
    if (parsed.ok) total = parsed.total
    else check.invalid(at.child('succeededIndexes'), indexes, `error parsing succeededIndexes: ${parsed.message}`)
  }
  if (count === undefined) return
  const atMost = (most: number, of: string): void => {
    if (count > most)
      check.invalid(at.child('succeededCount'), count, `must be less than or equal to ${most} (the number of ${of})`)
  }
  check.fields(rule, at, 'batch_v1.SuccessPolicyRule', 'succeededCount')
  atMost(completions, 'specified completions')
  if (indexes !== undefined) atMost(total, 'indexes in the specified succeededIndexes field')
}
