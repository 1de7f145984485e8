// The rules that pod groups, composite pod groups and their templates have in common.
import type { FieldPath } from '../../api/field-path.ts'
import type { PodGroupSpec } from '../../api/gen/kinds.ts'
import { equalValues, type ValueMap } from '../../api/value.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkChoice } from '../shared/choice.ts'
import { checkGroupParts, type GroupParts } from '../shared/group-parts.ts'

/** The fields of a group. A template also has a name. The numbers of a composite group count groups. */
export type Group = GroupParts &
  Pick<PodGroupSpec, 'workloadRef'> & {
    readonly schedulingPolicy: { readonly basic?: ValueMap; readonly gang?: ValueMap }
  }

const FIXED = [
  'parentCompositePodGroupName',
  'workloadRef',
  'schedulingConstraints',
  'resourceClaims',
  'disruptionMode',
  'priorityClassName',
  'priority',
  'preemptionPolicy',
] as const

export interface GroupTypes {
  readonly group:
    | 'scheduling.k8s.io_v1beta1.PodGroupSpec'
    | 'scheduling.k8s.io_v1beta1.PodGroupTemplate'
    | 'scheduling.k8s.io_v1beta1.CompositePodGroupTemplate'
    | 'scheduling.k8s.io_v1alpha3.CompositePodGroupSpec'
  readonly gang:
    | 'scheduling.k8s.io_v1beta1.GangSchedulingPolicy'
    | 'scheduling.k8s.io_v1beta1.CompositeGangSchedulingPolicy'
}

/** `stored`: the group before a change. Then its fields cannot change, except the smallest number of a gang. */
export function checkGroup(types: GroupTypes, group: Group, at: FieldPath, check: Check, stored?: Group): void {
  checkPolicy(types, group, at.child('schedulingPolicy'), check, stored)
  if (stored !== undefined) {
    for (const name of FIXED) check.unchanged(at.child(name), group[name], stored[name])
    return
  }
  check.fields(group, at, types.group)
  const { workloadRef } = group
  if (workloadRef) check.fields(workloadRef, at.child('workloadRef'), 'scheduling.k8s.io_v1beta1.WorkloadReference')
  checkGroupParts(group, at, check)
}

function checkPolicy(types: GroupTypes, group: Group, at: FieldPath, check: Check, stored?: Group): void {
  const [policy, before] = [group.schedulingPolicy, stored?.schedulingPolicy]
  if (before !== undefined && equalValues(policy, before)) return
  checkChoice({ part: policy, stored: before, members: ['basic', 'gang'] }, at, check)
  const gang = at.child('gang')
  if (before !== undefined) {
    check.unchanged(at.child('basic'), policy.basic, before.basic)
    if (policy.gang !== undefined && before.gang === undefined)
      return check.invalid(gang, null, 'field cannot be set once created')
    if (policy.gang === undefined && before.gang !== undefined)
      return check.invalid(gang, null, 'field cannot be cleared once set')
  }
  if (policy.gang !== undefined) check.fields(policy.gang, gang, types.gang)
}
