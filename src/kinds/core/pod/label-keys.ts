// Rules about where a pod may stand can name keys of labels instead of labels. What the pod itself has under them is
// written into the selectors when it is created, so that nobody has to look it up later.
import { metaOf, specOf } from '../../../api/object-members.ts'
import type { ApiObject } from '../../../api/object.ts'
import { isList, isMap, own, type Value, type ValueMap } from '../../../api/value.ts'

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution'

export function withLabelKeys(pod: ApiObject): ApiObject {
  const labels = own(metaOf(pod), 'labels')
  if (!isMap(labels)) return pod
  const spec = specOf(pod)
  const affinity = own(spec, 'affinity')
  const spread = own(spec, 'topologySpreadConstraints')
  if (!isMap(affinity) && !isList(spread)) return pod
  const next: Record<string, Value> = { ...spec }
  if (isMap(affinity)) next['affinity'] = withAffinityKeys(affinity, labels)
  if (isList(spread)) next['topologySpreadConstraints'] = spread.map((term) => withKeys(term, labels))
  return { ...pod, spec: next }
}

function withAffinityKeys(affinity: ValueMap, labels: ValueMap): ValueMap {
  const next: Record<string, Value> = { ...affinity }
  for (const side of ['podAffinity', 'podAntiAffinity']) {
    const terms = own(affinity, side)
    if (!isMap(terms)) continue
    const changed: Record<string, Value> = { ...terms }
    const required = own(terms, REQUIRED)
    if (isList(required)) changed[REQUIRED] = required.map((term) => withKeys(term, labels))
    const preferred = own(terms, PREFERRED)
    if (isList(preferred)) {
      changed[PREFERRED] = preferred.map((weighted) =>
        isMap(weighted)
          ? { ...weighted, podAffinityTerm: withKeys(own(weighted, 'podAffinityTerm') ?? {}, labels) }
          : weighted,
      )
    }
    next[side] = changed
  }
  return next
}

function withKeys(term: Value, labels: ValueMap): Value {
  if (!isMap(term)) return term
  const selector = own(term, 'labelSelector')
  if (!isMap(selector)) return term
  const added = [
    ...expressions(own(term, 'matchLabelKeys'), 'In', labels),
    ...expressions(own(term, 'mismatchLabelKeys'), 'NotIn', labels),
  ]
  if (added.length === 0) return term
  const before = own(selector, 'matchExpressions')
  const matchExpressions = [...(isList(before) ? before : []), ...added]
  return { ...term, labelSelector: { ...selector, matchExpressions } }
}

function expressions(keys: Value | undefined, operator: 'In' | 'NotIn', labels: ValueMap): readonly ValueMap[] {
  if (!isList(keys)) return []
  return keys.flatMap((key) => {
    const value = typeof key === 'string' ? own(labels, key) : undefined
    return typeof key === 'string' && value !== undefined ? [{ key, operator, values: [value] }] : []
  })
}
