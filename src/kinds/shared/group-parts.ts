// The parts of a group of pods that scheduling and jobs describe alike: topologies, the mode of disruptions, and resource claims.
import type { FieldPath } from '../../api/field-path.ts'
import type { PodGroupResourceClaim, TopologyConstraint } from '../../api/gen/kinds.ts'
import type { ValueMap } from '../../api/value.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkChoice } from './choice.ts'

const MAX_CLAIMS = 4
const MAX_TOPOLOGIES = 1

export type GroupParts = ValueMap & {
  readonly schedulingConstraints?: { readonly topology?: readonly TopologyConstraint[] } | null
  readonly resourceClaims?: readonly PodGroupResourceClaim[]
  readonly disruptionMode?: { readonly single?: ValueMap; readonly all?: ValueMap }
}

export function checkGroupParts(group: GroupParts, at: FieldPath, check: Check): void {
  const { schedulingConstraints, resourceClaims = [], disruptionMode } = group
  const topology = schedulingConstraints?.topology ?? []
  const topologies = at.child('schedulingConstraints').child('topology')
  if (topology.length > MAX_TOPOLOGIES) check.tooMany(topologies, topology.length, MAX_TOPOLOGIES)
  else
    topology.forEach((one, i) => check.fields(one, topologies.index(i), 'scheduling.k8s.io_v1beta1.TopologyConstraint'))
  checkClaims(resourceClaims, at.child('resourceClaims'), check)
  if (disruptionMode !== undefined)
    checkChoice({ part: disruptionMode, members: ['single', 'all'] }, at.child('disruptionMode'), check)
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
