// `matchLabelKeys` and `mismatchLabelKeys` of affinity and topology spread: the pod's own values of these labels are merged into the
// selectors when the pod is created.
import type { LabelSelectorRequirement, Pod, PodAffinity, PodAffinityTerm } from '../../../api/gen/kinds.ts'
import { withSpec } from '../../../api/object-members.ts'
import { type MapOf, own } from '../../../api/value.ts'
import { PREFERRED, REQUIRED } from '../../shared/pod-spec/affinity.ts'

type Term = Pick<PodAffinityTerm, 'labelSelector' | 'matchLabelKeys' | 'mismatchLabelKeys'>
type Labels = MapOf<string>

export function withLabelKeys(pod: Pod): Pod {
  const { affinity, topologySpreadConstraints: constraints } = pod.spec
  if (affinity === undefined && constraints === undefined) return pod
  const { labels = {} } = pod.metadata
  const { podAffinity, podAntiAffinity } = affinity ?? {}
  return withSpec(pod, {
    ...(affinity && {
      affinity: {
        ...affinity,
        ...(podAffinity && { podAffinity: withTerms(podAffinity, labels) }),
        ...(podAntiAffinity && { podAntiAffinity: withTerms(podAntiAffinity, labels) }),
      },
    }),
    ...(constraints && { topologySpreadConstraints: constraints.map((constraint) => withKeys(constraint, labels)) }),
  })
}

function withTerms(affinity: PodAffinity, labels: Labels): PodAffinity {
  const { [REQUIRED]: required, [PREFERRED]: preferred } = affinity
  return {
    ...affinity,
    ...(required && { [REQUIRED]: required.map((term) => withKeys(term, labels)) }),
    ...(preferred && {
      [PREFERRED]: preferred.map((weighted) => ({
        ...weighted,
        podAffinityTerm: withKeys(weighted.podAffinityTerm, labels),
      })),
    }),
  }
}

function withKeys<T extends Term>(term: T, labels: Labels): T {
  const { labelSelector: selector, matchLabelKeys = [], mismatchLabelKeys = [] } = term
  if (selector === undefined) return term
  const added = [...expressions(matchLabelKeys, 'In', labels), ...expressions(mismatchLabelKeys, 'NotIn', labels)]
  if (added.length === 0) return term
  const matchExpressions = [...(selector.matchExpressions ?? []), ...added]
  return { ...term, labelSelector: { ...selector, matchExpressions } }
}

function expressions(
  keys: readonly string[],
  operator: 'In' | 'NotIn',
  labels: Labels,
): readonly LabelSelectorRequirement[] {
  return keys.flatMap((key) => {
    const value = own(labels, key)
    return value === undefined ? [] : [{ key, operator, values: [value] }]
  })
}
