// Node selectors, affinity and topology spread constraints.
import type {
  Affinity,
  LabelSelector,
  NodeAffinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
  TopologySpreadConstraint,
} from '../../../api/gen/kinds.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import type { Check, PartRule } from '../../../schema/validation/check.ts'
import { dns1123Label, dns1123Subdomain, qualifiedName } from '../../../schema/validation/formats.ts'
import { checkLabelSelector } from '../../../schema/validation/labels.ts'

export const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
export const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution'

export const checkAffinity: PartRule<Affinity> = (affinity, at, check) => {
  check.part(affinity, 'nodeAffinity', at, checkNodeAffinity)
  for (const field of ['podAffinity', 'podAntiAffinity'] as const) check.part(affinity, field, at, checkPodAffinity)
}

function checkNodeAffinity(affinity: NodeAffinity, at: FieldPath<NodeAffinity>, check: Check): void {
  check.part(affinity, REQUIRED, at, checkNodeSelector)
  check.each(affinity, PREFERRED, at, (term, place) => {
    check.fields(term, place, 'core_v1.PreferredSchedulingTerm')
    checkNodeTerm(term.preference, place.child('preference'), check, checkPreference)
  })
}

export function checkNodeSelector(selector: NodeSelector, at: FieldPath<NodeSelector>, check: Check): void {
  check.fields(selector, at, 'core_v1.NodeSelector')
  check.each(selector, 'nodeSelectorTerms', at, (term, place) => checkNodeTerm(term, place, check, checkRequirement))
}

function checkNodeTerm(
  term: NodeSelectorTerm,
  at: FieldPath<NodeSelectorTerm>,
  check: Check,
  rule: PartRule<NodeSelectorRequirement>,
): void {
  check.each(term, 'matchExpressions', at, rule)
  check.each(term, 'matchFields', at, checkNodeField)
}

/** The values of preferences need not be valid label values. */
const checkPreference: PartRule<NodeSelectorRequirement> = (requirement, at, check) => {
  checkNodeOperator(requirement, at, check)
  check.fields(requirement, at, 'core_v1.NodeSelectorRequirement', 'key')
}

const checkRequirement: PartRule<NodeSelectorRequirement> = (requirement, at, check) => {
  checkPreference(requirement, at, check)
  check.fields(requirement, at, 'core_v1.NodeSelectorRequirement', 'values')
}

function checkNodeOperator(
  requirement: NodeSelectorRequirement,
  at: FieldPath<NodeSelectorRequirement>,
  check: Check,
): void {
  const { operator, values = [] } = requirement
  const place = at.child('values')
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) check.required(place, "must be specified when `operator` is 'In' or 'NotIn'")
      break
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0) {
        check.forbidden(place, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
      }
      break
    case 'Gt':
    case 'Lt':
      if (values.length !== 1) {
        check.required(place, "must be specified single value when `operator` is 'Lt' or 'Gt'")
      }
      break
    default:
      check.invalid(at.child('operator'), operator, 'not a valid selector operator')
  }
}

function checkNodeField(
  requirement: NodeSelectorRequirement,
  at: FieldPath<NodeSelectorRequirement>,
  check: Check,
): void {
  const { key, operator, values = [] } = requirement
  if (operator !== 'In' && operator !== 'NotIn') {
    check.invalid(at.child('operator'), operator, 'not a valid selector operator')
  } else if (values.length !== 1) {
    const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
    check.required(at.child('values'), detail)
  }
  if (key !== 'metadata.name') check.invalid(at.child('key'), key, 'not a valid field selector key')
  else {
    for (const [i, value] of values.entries()) {
      check.format(at.child('values').index(i), value, dns1123Subdomain(value))
    }
  }
}

function checkPodAffinity(affinity: PodAffinity, at: FieldPath<PodAffinity>, check: Check): void {
  check.each(affinity, REQUIRED, at, checkPodTerm)
  check.each(affinity, PREFERRED, at, (term, place) => {
    check.fields(term, place, 'core_v1.WeightedPodAffinityTerm')
    checkPodTerm(term.podAffinityTerm, place.child('podAffinityTerm'), check)
  })
}

function checkPodTerm(term: PodAffinityTerm, at: FieldPath<PodAffinityTerm>, check: Check): void {
  for (const field of ['labelSelector', 'namespaceSelector'] as const) check.part(term, field, at, checkLabelSelector)
  for (const namespace of term.namespaces ?? []) {
    check.format(at.place('namespace'), namespace, dns1123Label(namespace))
  }
  checkLabelKeys(term, at, check)
  const { topologyKey: topology } = term
  if (topology === '') check.required(at.child('topologyKey'), 'can not be empty')
  check.format(at.child('topologyKey'), topology, qualifiedName(topology))
}

const NO_SELECTOR = 'must not be specified when labelSelector is not set'

type KeyTerm = Pick<PodAffinityTerm, 'labelSelector' | 'matchLabelKeys' | 'mismatchLabelKeys'>

/** Checks `matchLabelKeys` and `mismatchLabelKeys`, whose values come from the labels of the pod. */
function checkLabelKeys(term: KeyTerm, at: FieldPath<KeyTerm>, check: Check): void {
  const { labelSelector: selector, matchLabelKeys: matching = [], mismatchLabelKeys: mismatching = [] } = term
  for (const [field, keys] of [
    ['matchLabelKeys', matching],
    ['mismatchLabelKeys', mismatching],
  ] as const) {
    if (keys.length === 0) continue
    if (selector === undefined) check.forbidden(at.child(field), NO_SELECTOR)
    else for (const [i, key] of keys.entries()) check.format(at.child(field).index(i), key, qualifiedName(key))
  }
  if (selector !== undefined) checkNotSelected(matching, selector, at, check)
  const others = new Set(mismatching)
  for (const [i, key] of matching.entries()) {
    if (others.has(key)) {
      check.invalid(at.child('matchLabelKeys').index(i), key, 'exists in both matchLabelKeys and mismatchLabelKeys')
    }
  }
}

/** The keys have been merged into the selector, so a key that occurs twice was in the selector before. */
function checkNotSelected(
  keys: readonly string[],
  selector: LabelSelector,
  at: FieldPath<KeyTerm>,
  check: Check,
): void {
  const positions = new Map(keys.map((key, i) => [key, i]))
  const seen = new Set(Object.keys(selector.matchLabels ?? {}))
  for (const { key } of selector.matchExpressions ?? []) {
    const position = positions.get(key)
    if (position !== undefined && seen.has(key)) {
      check.invalid(at.index(position), key, 'exists in both matchLabelKeys and labelSelector')
    }
    seen.add(key)
  }
}

const SPREAD = 'core_v1.TopologySpreadConstraint'

export function checkTopologySpread(
  constraints: readonly TopologySpreadConstraint[],
  list: FieldPath<readonly TopologySpreadConstraint[]>,
  check: Check,
): void {
  const pairs = constraints.map(pairOf)
  const last = new Map(pairs.map((pair, i) => [pair, i]))
  for (const [i, constraint] of constraints.entries()) {
    const at = list.index(i)
    check.fields(constraint, at, SPREAD, 'maxSkew', 'topologyKey', 'whenUnsatisfiable')
    const pair = pairs[i] ?? ''
    if (last.get(pair) !== i) check.duplicate(at.place('{topologyKey, whenUnsatisfiable}'), pair)
    check.fields(constraint, at, SPREAD, 'minDomains')
    const { minDomains: domains, whenUnsatisfiable: action } = constraint
    if (domains !== undefined && action !== 'DoNotSchedule') {
      const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`
      check.invalid(at.child('minDomains'), domains, detail)
    }
    check.fields(constraint, at, SPREAD, 'nodeAffinityPolicy', 'nodeTaintsPolicy')
    checkLabelKeys(constraint, at, check)
    check.part(constraint, 'labelSelector', at, checkLabelSelector)
  }
}

function pairOf({ topologyKey, whenUnsatisfiable }: TopologySpreadConstraint): string {
  return `{${topologyKey}, ${whenUnsatisfiable}}`
}
