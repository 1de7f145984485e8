// A pod with scheduling gates may change its node selector and node affinity, but only make them narrower.
import type { NodeAffinity, NodeSelector, NodeSelectorTerm, PodSpec } from '../../../api/gen/kinds.ts'
import { shownMap } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import { membersOf, withMembers } from '../../../api/object-members.ts'
import { entriesOf, equalValues, own } from '../../../api/value.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { REQUIRED } from '../../shared/pod-spec/affinity.ts'

/** The spec with the old node selector and affinity. Reports faults if the new choices are not narrower. */
export function withoutNodeChoices(spec: PodSpec, old: PodSpec, at: FieldPath<PodSpec>, check: Check): PodSpec {
  return withOldAffinity(withOldSelector(spec, old, at, check), old, at, check)
}

function withOldSelector(spec: PodSpec, old: PodSpec, at: FieldPath<PodSpec>, check: Check): PodSpec {
  const { nodeSelector: selector = {} } = spec
  const { nodeSelector: before = {} } = old
  if (equalValues(selector, before)) return spec
  if (entriesOf(before).some(([key, value]) => own(selector, key) !== value)) {
    const detail = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)'
    check.invalid(at.child('nodeSelector'), shownMap(spec.nodeSelector), detail)
  }
  return withMembers(spec, membersOf(old, 'nodeSelector'))
}

function withOldAffinity(spec: PodSpec, old: PodSpec, at: FieldPath<PodSpec>, check: Check): PodSpec {
  const { affinity = {} } = spec
  const [nodes, oldNodes] = [affinity.nodeAffinity, old.affinity?.nodeAffinity]
  if (equalValues(nodes, oldNodes)) return spec
  checkNarrowed(nodes, oldNodes, at.child('affinity').child('nodeAffinity').child(REQUIRED), check)
  const onlyNodes = affinity.podAffinity === undefined && affinity.podAntiAffinity === undefined
  const isNew = old.affinity === undefined && onlyNodes
  return withMembers(spec, { affinity: isNew ? undefined : withMembers(affinity, { nodeAffinity: oldNodes }) })
}

function checkNarrowed(
  nodes: NodeAffinity = {},
  old: NodeAffinity = {},
  at: FieldPath<NodeSelector>,
  check: Check,
): void {
  const oldTerms = old[REQUIRED]?.nodeSelectorTerms ?? []
  const terms = nodes[REQUIRED]?.nodeSelectorTerms ?? []
  const list = at.child('nodeSelectorTerms')
  if (oldTerms.length > 0 && oldTerms.length !== terms.length) {
    check.invalid(list, terms, 'no additions/deletions to non-empty NodeSelectorTerms list are allowed')
    return
  }
  for (const [i, before] of oldTerms.entries()) {
    const term = terms[i] ?? {}
    if (!hasOnlyAdditions(term, before)) {
      check.invalid(list.index(i), term, 'only additions are allowed (no mutations or deletions)')
    }
  }
}

function hasOnlyAdditions(term: NodeSelectorTerm, before: NodeSelectorTerm): boolean {
  const fields = ['matchExpressions', 'matchFields'] as const
  const isEmpty = (one: NodeSelectorTerm): boolean => fields.every((field) => (one[field] ?? []).length === 0)
  if (isEmpty(before)) return isEmpty(term)
  return fields.every((field) => {
    const old = before[field] ?? []
    return old.length === 0 || equalValues((term[field] ?? []).slice(0, old.length), old)
  })
}
