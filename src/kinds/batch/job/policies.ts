// Validation of the pod failure policy and the success policy of jobs.
import { OMITTED } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import type {
  JobSpec,
  PodFailurePolicy,
  PodFailurePolicyOnExitCodesRequirement,
  SuccessPolicy,
  SuccessPolicyRule,
} from '../../../api/gen/kinds.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { parseIndexes } from './indexes.ts'

const MAX_CODES = 255
const MAX_CONDITIONS = 20
const ACTIONS: readonly string[] = ['Count', 'FailIndex', 'FailJob', 'Ignore']

/** The second parameter is the spec of the job that has the policy. */
export function checkFailurePolicy(
  policy: PodFailurePolicy,
  { template, backoffLimitPerIndex }: JobSpec,
  at: FieldPath<PodFailurePolicy>,
  check: Check,
): void {
  check.fields(policy, at, 'batch_v1.PodFailurePolicy')
  const { containers, initContainers = [] } = template.spec
  const names = new Set([...(containers ?? []), ...initContainers].map(({ name }) => name))
  check.each(policy, 'rules', at, (rule, place) => {
    checkAction(rule.action, backoffLimitPerIndex !== undefined, place.child('action'), check)
    const { onExitCodes: codes, onPodConditions: conditions = [] } = rule
    check.part(rule, 'onExitCodes', place, (part, at) => checkCodes(part, names, at, check))
    if (conditions.length > MAX_CONDITIONS) {
      check.tooMany(place.child('onPodConditions'), conditions.length, MAX_CONDITIONS)
    }
    check.each(rule, 'onPodConditions', place, (condition, item) =>
      check.fields(condition, item, 'batch_v1.PodFailurePolicyOnPodConditionsPattern'),
    )
    if (codes !== undefined && conditions.length > 0) {
      check.invalid(place, OMITTED, 'specifying both OnExitCodes and OnPodConditions is not supported')
    }
    if (codes === undefined && conditions.length === 0) {
      check.invalid(place, OMITTED, 'specifying one of OnExitCodes and OnPodConditions is required')
    }
  })
}

function checkAction(action: string, perIndex: boolean, at: FieldPath, check: Check): void {
  if (action === '') check.required(at, `valid values: [${ACTIONS.map((action) => `"${action}"`).join(' ')}]`)
  else if (action === 'FailIndex') {
    if (!perIndex) check.invalid(at, action, 'requires the backoffLimitPerIndex to be set')
  } else check.oneOf(at, action, ACTIONS)
}

type Codes = PodFailurePolicyOnExitCodesRequirement

function checkCodes(codes: Codes, names: ReadonlySet<string>, at: FieldPath<Codes>, check: Check): void {
  const { operator, containerName: container } = codes
  check.fields(codes, at, 'batch_v1.PodFailurePolicyOnExitCodesRequirement')
  if (container !== undefined && !names.has(container)) {
    const detail = 'must be one of the container or initContainer names in the pod template'
    check.invalid(at.child('containerName'), container, detail)
  }
  const values = codes.values ?? []
  const list = at.child('values')
  if (values.length === 0) check.invalid(list, codes.values ?? undefined, 'at least one value is required')
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

export function checkSuccessPolicy(
  policy: SuccessPolicy,
  { completions = 0 }: JobSpec,
  at: FieldPath<SuccessPolicy>,
  check: Check,
): void {
  check.fields(policy, at, 'batch_v1.SuccessPolicy')
  check.each(policy, 'rules', at, (rule, place) => checkSuccessRule(rule, completions, place, check))
}

type SuccessRule = SuccessPolicyRule

function checkSuccessRule(rule: SuccessRule, completions: number, at: FieldPath<SuccessRule>, check: Check): void {
  const { succeededIndexes: indexes, succeededCount: count } = rule
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
