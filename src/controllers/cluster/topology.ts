// Rules about the other pods near a pod: the spread over the domains of a topology, affinity and anti-affinity.
import type { Node, Pod, PodAffinityTerm, TopologySpreadConstraint } from '../../api/gen/kinds.ts'
import { labelsOf } from '../../api/object-members.ts'
import { LabelSelector, matchesLabels } from '../../api/selector.ts'
import { labelSelectorOf } from '../../api/selector-text.ts'
import { own } from '../../api/value.ts'
import { isTerminating } from '../../registry/object-meta.ts'
import { matchesNode, type NodeFilter, refuse, refuseForGood, untolerated } from './node-filters.ts'
import type { NodeEntry } from './node-ledger.ts'

export interface TopologyFacts {
  readonly entries: readonly NodeEntry[]
  /** Assigned pods with required anti-affinity. */
  readonly repelling: Iterable<Pod>
  readonly node: (name: string) => Node | undefined
  readonly namespaceLabels: (name: string) => object
}

/** The number of pods in each domain. */
type Counts = Map<string, number>

export function spreadFilter(pod: Pod, { entries }: TopologyFacts): NodeFilter {
  const constraints = (pod.spec.topologySpreadConstraints ?? []).filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule',
  )
  if (constraints.length === 0) return () => undefined
  const keys = constraints.map(({ topologyKey }) => topologyKey)
  const rules = constraints.map((constraint) => {
    const matches = spreadSelector(constraint, pod)
    const counts = spreadCounts(pod, { constraint, matches, keys, entries })
    const { minDomains = 1, maxSkew, topologyKey } = constraint
    const least = counts.size < minDomains ? 0 : Math.min(...counts.values())
    return { topologyKey, maxSkew, counts, least: counts.size === 0 ? 0 : least, self: matches(pod) ? 1 : 0 }
  })
  return ({ node }) => {
    for (const { topologyKey, maxSkew, counts, least, self } of rules) {
      const domain = own(labelsOf(node), topologyKey)
      if (domain === undefined) {
        return refuseForGood("node(s) didn't match pod topology spread constraints (missing required label)")
      }
      if ((counts.get(domain) ?? 0) + self - least > maxSkew) {
        return refuse("node(s) didn't match pod topology spread constraints")
      }
    }
    return undefined
  }
}

interface SpreadScope {
  readonly constraint: TopologySpreadConstraint
  readonly matches: (pod: Pod) => boolean
  /** Only nodes that have all of these labels count. */
  readonly keys: readonly string[]
  readonly entries: readonly NodeEntry[]
}

export function spreadCounts(pod: Pod, { constraint, matches, keys, entries }: SpreadScope): Counts {
  const { nodeAffinityPolicy = 'Honor', nodeTaintsPolicy = 'Ignore', topologyKey } = constraint
  const counts: Counts = new Map()
  for (const { node, pods } of entries) {
    const labels = labelsOf(node)
    if (keys.some((key) => own(labels, key) === undefined)) continue
    if (nodeAffinityPolicy === 'Honor' && !matchesNode(pod, node)) continue
    const effects = ['NoSchedule', 'NoExecute']
    if (nodeTaintsPolicy === 'Honor' && untolerated(node, pod.spec.tolerations, effects) !== undefined) continue
    let count = 0
    for (const { pod: other } of pods.values()) {
      if (other.metadata.namespace === pod.metadata.namespace && !isTerminating(other) && matches(other)) count += 1
    }
    const domain = own(labels, topologyKey)!
    counts.set(domain, (counts.get(domain) ?? 0) + count)
  }
  return counts
}

export function spreadSelector(constraint: TopologySpreadConstraint, pod: Pod): (other: Pod) => boolean {
  const base = constraint.labelSelector === undefined ? undefined : labelSelectorOf(constraint.labelSelector)
  if (base === undefined) return () => false
  const labels = labelsOf(pod)
  const more = (constraint.matchLabelKeys ?? []).flatMap((key) => {
    const value = own(labels, key)
    return value === undefined ? [] : [{ kind: 'equals', key, value } as const]
  })
  const selector = new LabelSelector([...base.requirements, ...more])
  return ({ metadata }) => matchesLabels(selector, metadata.labels)
}

/** Returns a function that tells whether a term of `holder` is about a pod. */
export function termMatcher(
  term: PodAffinityTerm,
  holder: Pod,
  namespaceLabels: TopologyFacts['namespaceLabels'],
): (other: Pod) => boolean {
  const { labelSelector, namespaces = [], namespaceSelector } = term
  const selector = labelSelector === undefined ? undefined : labelSelectorOf(labelSelector)
  if (selector === undefined) return () => false
  const wide = namespaceSelector === undefined ? undefined : labelSelectorOf(namespaceSelector)
  const named = namespaces.length === 0 && wide === undefined ? [holder.metadata.namespace ?? ''] : namespaces
  return ({ metadata }) => {
    const { namespace = '', labels } = metadata
    if (!matchesLabels(selector, labels)) return false
    return named.includes(namespace) || (wide !== undefined && matchesLabels(wide, namespaceLabels(namespace) as never))
  }
}

export function podAffinityFilter(pod: Pod, facts: TopologyFacts): NodeFilter {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {}
  const required = rulesOf(pod, podAffinity?.requiredDuringSchedulingIgnoredDuringExecution, facts)
  const anti = rulesOf(pod, podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution, facts)
  const repelled = repelledDomains(pod, facts)
  // The first pod of a group that wants to be together may go anywhere.
  const isFirst = required.every(({ counts }) => counts.size === 0) && required.every(({ matches }) => matches(pod))
  return ({ node }) => {
    const labels = labelsOf(node)
    for (const { topologyKey, counts } of required) {
      const domain = own(labels, topologyKey)
      if (domain === undefined || (!isFirst && !counts.has(domain))) {
        return refuseForGood("node(s) didn't match pod affinity rules")
      }
    }
    const isNear = ({ topologyKey, counts }: { topologyKey: string; counts: Counts }): boolean => {
      const domain = own(labels, topologyKey)
      return domain !== undefined && counts.has(domain)
    }
    if (anti.some(isNear)) return refuse("node(s) didn't match pod anti-affinity rules")
    if (repelled.some(([key, domain]) => own(labels, key) === domain)) {
      return refuse("node(s) didn't satisfy existing pods anti-affinity rules")
    }
    return undefined
  }
}

interface TermRule {
  readonly topologyKey: string
  readonly matches: (other: Pod) => boolean
  readonly counts: Counts
}

export function rulesOf(pod: Pod, terms: readonly PodAffinityTerm[] = [], facts: TopologyFacts): readonly TermRule[] {
  return terms.map((term) => {
    const { topologyKey } = term
    const matches = termMatcher(term, pod, facts.namespaceLabels)
    const counts: Counts = new Map()
    for (const { node, pods } of facts.entries) {
      const domain = own(labelsOf(node), topologyKey)
      if (domain === undefined) continue
      for (const { pod: other } of pods.values()) {
        if (matches(other)) counts.set(domain, (counts.get(domain) ?? 0) + 1)
      }
    }
    return { topologyKey, matches, counts }
  })
}

/** The domains that are closed to the pod by the anti-affinity of other pods. */
function repelledDomains(pod: Pod, facts: TopologyFacts): readonly (readonly [key: string, domain: string])[] {
  const domains: (readonly [string, string])[] = []
  for (const other of facts.repelling) {
    const node = facts.node(other.spec.nodeName ?? '')
    const terms = other.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
    for (const term of terms) {
      const domain = node === undefined ? undefined : own(labelsOf(node), term.topologyKey)
      if (domain !== undefined && termMatcher(term, other, facts.namespaceLabels)(pod)) {
        domains.push([term.topologyKey, domain])
      }
    }
  }
  return domains
}
