// What may change in a pod that still waits behind scheduling gates: where it may run, and only more narrowly.
import { shownMap } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import { isGiven, listOrEmpty, mapOrAbsent, mapOrEmpty, mapsInPlace } from '../../../api/members.ts'
import { equalValues, own, type Value, type ValueMap } from '../../../api/value.ts'
import type { Check } from '../../../schema/validation/check.ts'

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'

interface Place {
  /** The place of the spec. */
  readonly at: FieldPath
  readonly check: Check
}

/** The spec with the choice of nodes as it was, after checking that it became narrower at most. */
export function withoutNodeChoices(spec: ValueMap, old: ValueMap, place: Place): ValueMap {
  return withOldAffinity(withOldSelector(spec, old, place), old, place)
}

function withOldSelector(spec: ValueMap, old: ValueMap, { at, check }: Place): ValueMap {
  const selector = mapOrEmpty(spec, 'nodeSelector')
  const before = mapOrEmpty(old, 'nodeSelector')
  if (equalValues(selector, before)) return spec
  if (Object.entries(before).some(([key, value]) => own(selector, key) !== value)) {
    const detail = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)'
    check.invalid(at.child('nodeSelector'), shownMap(mapOrAbsent(spec, 'nodeSelector')), detail)
  }
  return withMember(spec, 'nodeSelector', old['nodeSelector'])
}

function withOldAffinity(spec: ValueMap, old: ValueMap, { at, check }: Place): ValueMap {
  const affinity = mapOrAbsent(spec, 'affinity')
  const before = mapOrAbsent(old, 'affinity')
  const nodes = affinity === undefined ? undefined : mapOrAbsent(affinity, 'nodeAffinity')
  const oldNodes = before === undefined ? undefined : mapOrAbsent(before, 'nodeAffinity')
  if (equalValues(nodes, oldNodes)) return spec
  checkNarrowed(nodes, oldNodes, { at: at.child('affinity').child('nodeAffinity').child(REQUIRED), check })
  const onlyNodes = !isGiven(affinity ?? {}, 'podAffinity') && !isGiven(affinity ?? {}, 'podAntiAffinity')
  if (before === undefined && onlyNodes) return withMember(spec, 'affinity', undefined)
  return withMember(spec, 'affinity', withMember(affinity ?? {}, 'nodeAffinity', oldNodes))
}

function checkNarrowed(nodes: ValueMap | undefined, old: ValueMap | undefined, { at, check }: Place): void {
  const oldTerms = mapsInPlace(mapOrEmpty(old ?? {}, REQUIRED), 'nodeSelectorTerms')
  const terms = mapsInPlace(mapOrEmpty(nodes ?? {}, REQUIRED), 'nodeSelectorTerms')
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

function withMember(map: ValueMap, name: string, value: Value | undefined): ValueMap {
  const { [name]: _, ...rest } = map
  return value === undefined ? rest : { ...rest, [name]: value }
}
