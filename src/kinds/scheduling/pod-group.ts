// Pod groups: pods that are scheduled together. By default, the kind is not served.
import { FieldPath } from '../../api/field-path.ts'
import type { PodGroup, PodGroupStatus } from '../../api/gen/kinds.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { absent, type OwnRule, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { type Kind, typedKind } from '../kind.ts'
import { builtInRules } from '../shared/built-in-rules.ts'
import { checkConditions } from '../shared/conditions.ts'
import { gatedFields, withGatedFields } from '../shared/gated-field.ts'
import { WITH_STATUS_ALONE } from '../shared/strategies.ts'
import { checkGroup } from './group-rules.ts'

const SPEC = FieldPath.root('spec')
const STATUS = FieldPath.root<PodGroupStatus>('status')
const MAX_CLAIMS = 4
const TYPES = {
  group: 'scheduling.k8s.io_v1beta1.PodGroupSpec',
  gang: 'scheduling.k8s.io_v1beta1.GangSchedulingPolicy',
} as const

interface Group {
  readonly spec: {
    readonly schedulingPolicy: { readonly gang?: object }
    readonly workloadRef?: { readonly workloadName: string } | null
  }
}

export const policyOf = ({ spec }: Group): string => (spec.schedulingPolicy.gang === undefined ? 'Basic' : 'Gang')
export const workloadOf = ({ spec }: Group): string => spec.workloadRef?.workloadName ?? '<none>'

export const defaultPreemption: OwnRule<string> = (given, { gates }) =>
  given ?? (gates.has('PodGroupPreemptionPolicy') ? 'PreemptLowerPriority' : undefined)

function checkSpec({ spec }: PodGroup, check: Check, stored?: PodGroup): void {
  if (spec.parentCompositePodGroupName !== undefined && spec.workloadRef === undefined)
    check.required(SPEC.child('workloadRef'), 'must be set when parentCompositePodGroupName is set')
  checkGroup(TYPES, spec, SPEC, check, stored?.spec)
}

function checkStatus({ spec, status }: PodGroup, _stored: PodGroup, check: Check): void {
  const { conditions = [], resourceClaimStatuses: claims = [] } = status
  checkConditions(conditions, STATUS.child('conditions'), check)
  const list: FieldPath = STATUS.child('resourceClaimStatuses')
  if (claims.length > MAX_CLAIMS) check.tooMany(list, claims.length, MAX_CLAIMS)
  const seen = new Set<string>()
  for (const [i, claim] of claims.entries()) {
    const at = list.index(i)
    check.unique(seen, claim.name, at)
    check.fields(claim, at, 'scheduling.k8s.io_v1beta1.PodGroupResourceClaimStatus')
    if (spec.resourceClaims?.some(({ name }) => name === claim.name) !== true)
      check.invalid(at.child('name'), claim.name, 'must match the name of an entry in `spec.resourceClaims`')
  }
}

function stateOf({ status: { conditions = [] } }: PodGroup): string {
  const find = (type: string) => conditions.find((one) => one.type === type)
  const [disrupted, scheduled] = [find('DisruptionTarget'), find('PodGroupInitiallyScheduled')]
  if (disrupted !== undefined) return disrupted.reason
  if (scheduled === undefined) return 'Pending'
  return scheduled.status === 'True' ? 'Scheduled' : 'Unschedulable'
}

export const POD_GROUP: Kind = typedKind<PodGroup>({
  validation: builtInRules({ object: checkSpec, status: checkStatus }),
  defaults: within({ spec: within({ disruptionMode: absent({ single: {} }), preemptionPolicy: defaultPreemption }) }),
  strategy: withGatedFields(
    gatedFields(
      'scheduling.k8s.io_v1beta1.PodGroup',
      'spec/parentCompositePodGroupName',
      'spec/schedulingConstraints',
      'spec/resourceClaims',
      'spec/preemptionPolicy',
    ),
    { status: WITH_STATUS_ALONE, conditionalUpdate: true },
  ),
  columns: tableOf([
    NAME,
    column('Policy', 'The scheduling policy of the pods.', policyOf),
    column('Workload', 'The workload that has the group.', workloadOf),
    column('Status', 'Whether the pods are scheduled.', stateOf),
    AGE,
  ]),
})
