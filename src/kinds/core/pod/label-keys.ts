// `matchLabelKeys` and `mismatchLabelKeys` of affinity and topology spread: the pod's own values of these labels are merged into the
// selectors when it is created.
import { listOrEmpty, mapOrAbsent, mapsInPlace, textsOnly } from '../../../api/members.ts'
import { labelsOf, specOf } from '../../../api/object-members.ts'
import type { ApiObject } from '../../../api/object.ts'
import { own, type ValueMap } from '../../../api/value.ts'
import { PREFERRED, REQUIRED } from '../../shared/pod-spec/affinity.ts'

type Change = (map: ValueMap) => ValueMap

export function withLabelKeys(pod: ApiObject): ApiObject {
  const spec = specOf(pod)
  if (!Object.hasOwn(spec, 'affinity') && !Object.hasOwn(spec, 'topologySpreadConstraints')) return pod
  const labels = labelsOf(pod)
  const withKeys: Change = (term) => withTermKeys(term, labels)
  const withTerms: Change = (affinity) =>
    withItems(withItems(affinity, REQUIRED, withKeys), PREFERRED, (weighted) =>
      withPart(weighted, 'podAffinityTerm', withKeys),
    )
  const withAffinity = withPart(spec, 'affinity', (affinity) =>
    withPart(withPart(affinity, 'podAffinity', withTerms), 'podAntiAffinity', withTerms),
  )
  return { ...pod, spec: withItems(withAffinity, 'topologySpreadConstraints', withKeys) }
}

function withPart(map: ValueMap, name: string, change: Change): ValueMap {
  const part = mapOrAbsent(map, name)
  return part === undefined ? map : { ...map, [name]: change(part) }
}

function withItems(map: ValueMap, name: string, change: Change): ValueMap {
  const items = mapsInPlace(map, name)
  return items.length === 0 ? map : { ...map, [name]: items.map(change) }
}

function withTermKeys(term: ValueMap, labels: ValueMap): ValueMap {
  const selector = mapOrAbsent(term, 'labelSelector')
  if (selector === undefined) return term
  const added = [
    ...expressions(textsOnly(term, 'matchLabelKeys'), 'In', labels),
    ...expressions(textsOnly(term, 'mismatchLabelKeys'), 'NotIn', labels),
  ]
  if (added.length === 0) return term
  const matchExpressions = [...listOrEmpty(selector, 'matchExpressions'), ...added]
  return { ...term, labelSelector: { ...selector, matchExpressions } }
}

function expressions(keys: readonly string[], operator: 'In' | 'NotIn', labels: ValueMap): readonly ValueMap[] {
  return keys.flatMap((key) => {
    const value = own(labels, key)
    return value === undefined ? [] : [{ key, operator, values: [value] }]
  })
}
