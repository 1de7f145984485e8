// How the pods of a job are scheduled as a group (gate WorkloadWithJob).
import type { FieldPath } from '../../../api/field-path.ts'
import type { JobSchedulingConfiguration, JobSpec } from '../../../api/gen/kinds.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { checkChoice } from '../../shared/choice.ts'
import { checkGroupParts } from '../../shared/group-parts.ts'

type Scheduling = JobSchedulingConfiguration

/** `stored`: the spec before a change, or undefined for a new job. Then only the smallest number of a gang can change. */
export function checkScheduling(
  spec: JobSpec,
  stored: JobSpec | undefined,
  at: FieldPath<JobSpec>,
  check: Check,
): void {
  const { scheduling, parallelism = 1 } = spec
  const place = at.child('scheduling')
  const before = stored?.scheduling
  if (stored !== undefined && !isKept(scheduling, before, place, check)) return
  if (scheduling === undefined) return
  const { gang } = scheduling.schedulingPolicy ?? {}
  const minAt = place.child('schedulingPolicy').child('gang').child('minCount')
  const { minCount } = gang ?? {}
  if (minCount !== undefined && minCount > parallelism) {
    check.invalid(minAt, minCount, `must not be greater than parallelism (${parallelism})`)
  }
  if (minCount !== undefined && minCount < 1) check.invalid(minAt, minCount, 'must be greater than or equal to 1')
  if (gang === undefined && scheduling.disruptionMode?.all !== undefined) {
    const detail = 'the disruptionMode `all` is not supported with the Basic scheduling policy'
    check.invalid(place.child('disruptionMode'), '', detail)
  }
  if (before === undefined) checkNew(scheduling, place, check)
  else checkChange(scheduling, before, place, check)
}

/** A part can be neither added nor removed. */
function isKept(now: unknown, before: unknown, at: FieldPath, check: Check): boolean {
  if ((now === undefined) === (before === undefined)) return true
  check.invalid(at, undefined, `field cannot be ${now === undefined ? 'cleared once set' : 'set once created'}`)
  return false
}

const MEMBERS = ['basic', 'gang'] as const

function checkNew(scheduling: Scheduling, at: FieldPath<Scheduling>, check: Check): void {
  const { schedulingPolicy: policy } = scheduling
  if (policy !== undefined) checkChoice({ part: policy, members: MEMBERS }, at.child('schedulingPolicy'), check)
  checkGroupParts(scheduling, at, check)
}

function checkChange(scheduling: Scheduling, before: Scheduling, at: FieldPath<Scheduling>, check: Check): void {
  const [policy, old] = [scheduling.schedulingPolicy, before.schedulingPolicy]
  const place = at.child('schedulingPolicy')
  if (isKept(policy, old, place, check) && policy !== undefined && old !== undefined) {
    checkChoice({ part: policy, stored: old, members: MEMBERS }, place, check)
    if ((policy.basic === undefined) !== (old.basic === undefined)) {
      const only = 'only schedulingPolicy.gang.minCount may be updated'
      check.invalid(place, undefined, `the basic/gang policy variant is immutable after creation; ${only}`)
    }
  }
  for (const name of ['schedulingConstraints', 'disruptionMode', 'resourceClaims'] as const) {
    check.unchanged(at.child(name), scheduling[name], before[name])
  }
}
