// The rules that pod groups, composite pod groups and the templates of both have in common.
import type { FieldPath } from '../../api/field-path.ts'
import type { PodGroupResourceClaim, PodGroupSpec, TopologyConstraint } from '../../api/gen/kinds.ts'
import { equalValues, type ValueMap } from '../../api/value.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkChoice } from '../shared/choice.ts'

const MAX_CLAIMS = 4
const MAX_TOPOLOGIES = 1

/** The fields of a group. A template has a name besides, and a composite group counts groups. */
export type Group = ValueMap &
  Pick<PodGroupSpec, 'workloadRef' | 'resourceClaims' | 'disruptionMode'> & {
    readonly schedulingPolicy: { readonly basic?: ValueMap; readonly gang?: ValueMap }
    readonly schedulingConstraints?: { readonly topology?: readonly TopologyConstraint[] } | null
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

/** `stored`: the group before a change. Its fields cannot change then, except the smallest number of a gang. */
export function checkGroup(types: GroupTypes, group: Group, at: FieldPath, check: Check, stored?: Group): void {
  checkPolicy(types, group, at.child('schedulingPolicy'), check, stored)
  if (stored !== undefined) {
    for (const name of FIXED) check.unchanged(at.child(name), group[name], stored[name])
    return
  }
  check.fields(group, at, types.group)
  const { workloadRef, schedulingConstraints, resourceClaims = [], disruptionMode } = group
  if (workloadRef) check.fields(workloadRef, at.child('workloadRef'), 'scheduling.k8s.io_v1beta1.WorkloadReference')
  const topology = schedulingConstraints?.topology ?? []
  const topologies = at.child('schedulingConstraints').child('topology')
  if (topology.length > MAX_TOPOLOGIES) check.tooMany(topologies, topology.length, MAX_TOPOLOGIES)
  else
    topology.forEach((one, i) => check.fields(one, topologies.index(i), 'scheduling.k8s.io_v1beta1.TopologyConstraint'))
  checkClaims(resourceClaims, at.child('resourceClaims'), check)
  if (disruptionMode !== undefined)
    checkChoice({ part: disruptionMode, members: ['single', 'all'] }, at.child('disruptionMode'), check)
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

function checkClaims(claims: readonly PodGroupResourceClaim[], list: FieldPath, check: Check): void {
  if (claims.length > MAX_CLAIMS) return check.tooMany(list, claims.length, MAX_CLAIMS)
  const seen = new Set<string>()
  for (const [i, claim] of claims.entries()) {
    const at = list.index(i)
    check.unique(seen, claim.name, at)
    checkChoice({ part: claim, members: ['resourceClaimName', 'resourceClaimTemplateName'] }, at, check)
    check.fields(claim, at, 'scheduling.k8s.io_v1beta1.PodGroupResourceClaim')
  }
}
