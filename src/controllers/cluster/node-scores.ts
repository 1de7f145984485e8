// Chooses the best of the fit nodes for a pod: by its preferences, by the spread of its siblings, and by the free resources.
import type { Pod } from '../../api/gen/kinds.ts'
import { labelsOf } from '../../api/object-members.ts'
import { own } from '../../api/value.ts'
import { controllerOf } from './followed.ts'
import { matchesTerm, tolerates } from './node-filters.ts'
import type { NodeEntry, Thousandths } from './node-ledger.ts'
import { rulesOf, spreadCounts, spreadSelector, type TopologyFacts } from './topology.ts'

/** A higher score is better. Scores may have any range. */
type Score = (entry: NodeEntry) => number

/** The best node. Of equally good nodes, the first. Undefined: no node is fit. */
export function bestNode(
  pod: Pod,
  requests: Thousandths,
  fit: readonly NodeEntry[],
  facts: TopologyFacts,
): NodeEntry | undefined {
  if (fit.length < 2) return fit[0]
  const scores: readonly (readonly [weight: number, score: Score])[] = [
    [3, taintScore(pod)],
    [2, nodeAffinityScore(pod)],
    [2, podAffinityScore(pod, facts)],
    [2, spreadScore(pod, facts)],
    [1, resourceScore(requests)],
  ]
  const totals = fit.map(() => 0)
  for (const [weight, score] of scores) {
    const given = fit.map(score)
    const [least, most] = [Math.min(...given), Math.max(...given)]
    if (most === least) continue
    for (const [i, one] of given.entries()) totals[i]! += (weight * (one - least)) / (most - least)
  }
  let best = 0
  for (const [i, total] of totals.entries()) if (total > totals[best]!) best = i
  return fit[best]
}

function taintScore({ spec }: Pod): Score {
  return ({ node }) => {
    const { taints = [] } = node.spec
    return -taints.filter((taint) => taint.effect === 'PreferNoSchedule' && !tolerates(spec.tolerations, taint)).length
  }
}

function nodeAffinityScore({ spec }: Pod): Score {
  const preferred = spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
  return ({ node }) =>
    preferred.reduce((sum, { weight, preference }) => sum + (matchesTerm(preference, node) ? weight : 0), 0)
}

function podAffinityScore(pod: Pod, facts: TopologyFacts): Score {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {}
  const weighed = [
    [1, podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []],
    [-1, podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []],
  ] as const
  const rules = weighed.flatMap(([sign, terms]) =>
    rulesOf(
      pod,
      terms.map(({ podAffinityTerm }) => podAffinityTerm),
      facts,
    ).map((rule, i) => ({ ...rule, weight: sign * terms[i]!.weight })),
  )
  return ({ node }) =>
    rules.reduce((sum, { topologyKey, counts, weight }) => {
      const domain = own(labelsOf(node), topologyKey)
      return sum + weight * (domain === undefined ? 0 : (counts.get(domain) ?? 0))
    }, 0)
}

/** Scores by the soft spread constraints of the pod. If it has none, the pods of one controller are spread over the nodes. */
function spreadScore(pod: Pod, { entries }: TopologyFacts): Score {
  const soft = (pod.spec.topologySpreadConstraints ?? []).filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway',
  )
  if (soft.length === 0) {
    const owner = controllerOf(pod)?.uid
    return ({ pods }) => {
      let siblings = 0
      if (owner !== undefined)
        for (const other of pods.values()) if (controllerOf(other.pod)?.uid === owner) siblings += 1
      return -siblings
    }
  }
  const keys = soft.map(({ topologyKey }) => topologyKey)
  const counted = soft.map((constraint) => ({
    key: constraint.topologyKey,
    counts: spreadCounts(pod, { constraint, matches: spreadSelector(constraint, pod), keys, entries }),
  }))
  return ({ node }) =>
    counted.reduce((sum, { key, counts }) => {
      const domain = own(labelsOf(node), key)
      return sum - (domain === undefined ? Number.MAX_SAFE_INTEGER : (counts.get(domain) ?? 0))
    }, 0)
}

/** The free share of the node with the pod on it. Pods without requests are spread by their number. */
function resourceScore(requests: Thousandths): Score {
  return ({ allocatable, used, pods }) => {
    const free = (name: string): number => {
      const most = allocatable.get(name) ?? 0
      return most === 0 ? 0 : (most - (used.get(name) ?? 0) - (requests.get(name) ?? 0)) / most
    }
    return free('cpu') + free('memory') - pods.size / 1000
  }
}
