// A pod with scheduling gates may change its node selector and node affinity, but only make them narrower.
import { shownMap } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import { isGiven, listOrEmpty, mapOrAbsent, mapOrEmpty, mapsInPlace } from '../../../api/members.ts'
import { membersOf, withMembers } from '../../../api/object-members.ts'
import { equalValues, own, type ValueMap } from '../../../api/value.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { REQUIRED } from '../../shared/pod-spec/affinity.ts'

/** The spec with the node selector and affinity as they were; faults where they are not narrower. */
export function withoutNodeChoices(spec: ValueMap, old: ValueMap, at: FieldPath, check: Check): ValueMap {
  return withOldAffinity(withOldSelector(spec, old, at, check), old, at, check)
}

function withOldSelector(spec: ValueMap, old: ValueMap, at: FieldPath, check: Check): ValueMap {
  const selector = mapOrEmpty(spec, 'nodeSelector')
  const before = mapOrEmpty(old, 'nodeSelector')
  if (equalValues(selector, before)) return spec
  if (Object.entries(before).some(([key, value]) => own(selector, key) !== value)) {
    const detail = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)'
    check.invalid(at.child('nodeSelector'), shownMap(mapOrAbsent(spec, 'nodeSelector')), detail)
  }
  return withMembers(spec, membersOf(old, 'nodeSelector'))
}

function withOldAffinity(spec: ValueMap, old: ValueMap, at: FieldPath, check: Check): ValueMap {
  const affinity = mapOrEmpty(spec, 'affinity')
  const before = mapOrEmpty(old, 'affinity')
  const [nodes, oldNodes] = [mapOrAbsent(affinity, 'nodeAffinity'), mapOrAbsent(before, 'nodeAffinity')]
  if (equalValues(nodes, oldNodes)) return spec
  checkNarrowed(nodes, oldNodes, at.child('affinity').child('nodeAffinity').child(REQUIRED), check)
  const onlyNodes = !isGiven(affinity, 'podAffinity') && !isGiven(affinity, 'podAntiAffinity')
  const isNew = !isGiven(old, 'affinity') && onlyNodes
  return withMembers(spec, { affinity: isNew ? undefined : withMembers(affinity, { nodeAffinity: oldNodes }) })
}

function checkNarrowed(nodes: ValueMap = {}, old: ValueMap = {}, at: FieldPath, check: Check): void {
  const oldTerms = mapsInPlace(mapOrEmpty(old, REQUIRED), 'nodeSelectorTerms')
  const terms = mapsInPlace(mapOrEmpty(nodes, REQUIRED), 'nodeSelectorTerms')
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

function hasOnlyAdditions(term: ValueMap, before: ValueMap): boolean {
  const fields = ['matchExpressions', 'matchFields']
  if (fields.every((field) => listOrEmpty(before, field).length === 0)) {
    return fields.every((field) => listOrEmpty(term, field).length === 0)
  }
  return fields.every((field) => {
    const old = listOrEmpty(before, field)
    return old.length === 0 || equalValues(listOrEmpty(term, field).slice(0, old.length), old)
  })
}
