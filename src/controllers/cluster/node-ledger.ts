// The nodes, with their assigned pods and the resources that these pods request. Changes of nodes and pods update the ledger.
import type { Node, Pod } from '../../api/gen/kinds.ts'
import { getOrInsert } from '../../lib/map-entries.ts'
import { scaledValue } from '../../lib/quantity.ts'
import { type Amounts, amountsOf } from '../../api/amounts.ts'
import { podAmounts, withOverhead } from '../../api/pod-resources.ts'
import { type Followed, keyOf } from './followed.ts'
import { hasEnded } from './ownership.ts'

/** Thousandths by the name of the resource: exact for every amount that a node can have. */
export type Thousandths = ReadonlyMap<string, number>

export interface AssignedPod {
  readonly pod: Pod
  readonly requests: Thousandths
}

export interface NodeEntry {
  readonly node: Node
  readonly allocatable: Thousandths
  readonly pods: ReadonlyMap<string, AssignedPod>
  readonly used: Thousandths
}

interface Kept {
  readonly pods: Map<string, AssignedPod>
  readonly used: Map<string, number>
}

export class NodeLedger {
  readonly #nodes: Followed<Node>
  readonly #kept = new Map<string, Kept>()
  readonly #allocatable = new WeakMap<Node, Thousandths>()
  /** Assigned pods with required anti-affinity, by their keys. */
  readonly #repelling = new Map<string, Pod>()

  /** `onRoom` is called when a pod may find room that it did not find before. `takesRoom` decides which pods count. */
  constructor(nodes: Followed<Node>, pods: Followed<Pod>, onRoom: () => void, takesRoom = isAssigned) {
    this.#nodes = nodes
    nodes.listen({ changed: (node, before) => void (isAsBefore(node, before) || onRoom()), gone: onRoom })
    pods.listen({
      changed: (pod, before) => {
        if (before !== undefined && takesRoom(before)) this.#take(before)
        if (takesRoom(pod)) this.#put(pod)
        const isMoved = before === undefined || takesRoom(before) !== takesRoom(pod)
        if (isMoved || before.metadata.labels !== pod.metadata.labels) onRoom()
      },
      gone: (pod) => {
        if (!takesRoom(pod)) return
        this.#take(pod)
        onRoom()
      },
    })
  }

  /** Assigned pods with required anti-affinity. */
  get repelling(): Iterable<Pod> {
    return this.#repelling.values()
  }

  *entries(): Generator<NodeEntry> {
    for (const node of this.#nodes.all()) yield this.entry(node)
  }

  entry(node: Node): NodeEntry {
    const { pods, used } = this.#of(node.metadata.name ?? '')
    const newAmounts = (): Thousandths => thousandthsOf(amountsOf(node.status.allocatable))
    return { node, allocatable: getOrInsert(this.#allocatable, node, newAmounts), pods, used }
  }

  node(name: string): Node | undefined {
    return this.#nodes.get('', name)
  }

  /** Counts the pod on the node until the pod itself is known to be there. The result ends this; it returns whether it did. */
  assume(pod: Pod, nodeName: string): () => boolean {
    const assumed = { ...pod, spec: { ...pod.spec, nodeName } }
    this.#put(assumed)
    return () => {
      const isAssumed = this.#of(nodeName).pods.get(keyOf(pod))?.pod === assumed
      if (isAssumed) this.#take(assumed)
      return isAssumed
    }
  }

  #of(name: string): Kept {
    return getOrInsert(this.#kept, name, () => ({ pods: new Map(), used: new Map() }))
  }

  #put(pod: Pod): void {
    this.#take(pod)
    const { pods, used } = this.#of(pod.spec.nodeName ?? '')
    const assigned = { pod, requests: requestsOf(pod) }
    pods.set(keyOf(pod), assigned)
    for (const [name, amount] of assigned.requests) used.set(name, (used.get(name) ?? 0) + amount)
    if (pod.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution !== undefined) {
      this.#repelling.set(keyOf(pod), pod)
    }
  }

  #take(pod: Pod): void {
    const key = keyOf(pod)
    const { pods, used } = this.#of(pod.spec.nodeName ?? '')
    const assigned = pods.get(key)
    pods.delete(key)
    this.#repelling.delete(key)
    for (const [name, amount] of assigned?.requests ?? []) used.set(name, (used.get(name) ?? 0) - amount)
  }
}

function isAsBefore(node: Node, before: Node | undefined): boolean {
  if (before === undefined) return false
  const parts = ({ spec, status, metadata }: Node): string =>
    JSON.stringify([spec, status.allocatable ?? null, metadata.labels ?? null])
  return parts(node) === parts(before)
}

/** Whether the pod takes room on a node. */
export function isAssigned({ spec, status }: Pod): boolean {
  return (spec.nodeName ?? '') !== '' && !hasEnded(status)
}

export function requestsOf({ spec, status }: Pod): Thousandths {
  return thousandthsOf(withOverhead(podAmounts(spec, 'requests', status), spec, 'requests'))
}

function thousandthsOf(amounts: Amounts): Thousandths {
  return new Map([...amounts].map(([name, quantity]) => [name, Number(scaledValue(quantity, -3))]))
}
