// Plays the steps of many random graphs on one server, each graph in a namespace of its own, and tells what is left of each after
// every step, once nothing happens any more.
import { setTimeout as delay } from 'node:timers/promises'
import { define, redefine } from '../corpora/defined-kinds.ts'
import { type OwnedObject, OwnedObjects, type OwnerReference, type Requests } from '../corpora/owned-objects.ts'
import {
  GRAPH_KINDS,
  type GraphKind,
  HELD,
  type PlannedGraph,
  type PlannedReference,
  type PlannedStep,
  STEPS,
} from '../corpora/ownership-graphs.ts'

const AT_ONCE = 16
const LOOK_EVERY_MS = 100

/** By graph: what was left when all was made, and after each step. */
export type PlayedGraphs = ReadonlyMap<string, readonly GraphState[]>
/** One line an object. */
export type GraphState = readonly string[]
/** What is left of every graph now, by its id. */
export type LookAtGraphs = () => Promise<ReadonlyMap<string, GraphState>>
/** Resolves when everything has come of a step that will. */
export type UntilSettled = (look: LookAtGraphs, state: number) => Promise<ReadonlyMap<string, GraphState>>

export async function defineGraphKinds(server: Requests): Promise<void> {
  for (const kind of [GRAPH_KINDS.thing, GRAPH_KINDS.clusterThing]) {
    await define(server, kind)
    await redefine(server, kind, { versions: ['v1', 'v2'] })
  }
}

export async function playGraphs(
  server: Requests,
  graphs: readonly PlannedGraph[],
  untilSettled: UntilSettled,
): Promise<PlayedGraphs> {
  await server.must('/api/v1/namespaces', { method: 'POST', body: { metadata: { name: 'elsewhere' } } })
  const foreign = await new OwnedObjects(server, 'elsewhere').make(GRAPH_KINDS.configMap, 'foreign')
  const played = graphs.map((plan) => new PlayedGraph(server, plan, foreign))
  const states = new Map<string, GraphState[]>(graphs.map(({ id }) => [id, []]))
  const look: LookAtGraphs = async () => {
    const left = await everything(server)
    return new Map(played.map((graph) => [graph.plan.id, graph.stateIn(left)]))
  }
  const actions = [
    (graph: PlayedGraph) => graph.own(),
    ...Array.from({ length: STEPS }, (_, step) => (graph: PlayedGraph) => graph.act(step)),
  ]
  await forEach(played, (graph) => graph.make())
  for (const [state, action] of actions.entries()) {
    await forEach(played, action)
    for (const [id, left] of await untilSettled(look, state)) states.get(id)?.push(left)
  }
  return states
}

/** Where nothing has changed for so long. */
export function untilQuiet(quietMs: number): UntilSettled {
  return async (look) => {
    let last = ''
    for (let since = performance.now(); ; await delay(LOOK_EVERY_MS)) {
      const left = await look()
      const text = JSON.stringify([...left])
      if (text !== last) [last, since] = [text, performance.now()]
      else if (performance.now() - since >= quietMs) return left
    }
  }
}

/** As people read it: `graph 1`, below it `state 0`, below that a line an object. */
export function formatStates(played: PlayedGraphs): string {
  const lines = [...played].flatMap(([id, states]) => [
    `graph ${id}`,
    ...states.flatMap((state, index) => [`  state ${index}`, ...state.map((line) => `    ${line}`)]),
  ])
  return `${lines.join('\n')}\n`
}

export function parseStates(text: string): PlayedGraphs {
  const played = new Map<string, string[][]>()
  let states: string[][] = []
  for (const line of text.trimEnd().split('\n')) {
    if (line.startsWith('graph ')) played.set(line.slice('graph '.length), (states = []))
    else if (line.startsWith('  state ')) states.push([])
    else states.at(-1)?.push(line.trim())
  }
  return played
}

class PlayedGraph {
  readonly plan: PlannedGraph
  readonly #server: Requests
  readonly #objects: OwnedObjects
  readonly #foreign: OwnedObject
  readonly #made: OwnedObject[] = []

  constructor(server: Requests, plan: PlannedGraph, foreign: OwnedObject) {
    this.plan = plan
    this.#server = server
    this.#objects = new OwnedObjects(server, this.#name)
    this.#foreign = foreign
  }

  get #name(): string {
    return `graph-${this.plan.id}`
  }

  async make(): Promise<void> {
    await this.#server.must('/api/v1/namespaces', { method: 'POST', body: { metadata: { name: this.#name } } })
    for (const [index, { kind, finalizers }] of this.plan.objects.entries()) {
      this.#made.push(await this.#objects.make(GRAPH_KINDS[kind], `${this.#name}-${index}`, { finalizers }))
    }
  }

  async own(): Promise<void> {
    for (const [object, { owners }] of this.plan.objects.entries()) await this.#act({ act: 'own', object, owners })
  }

  async act(step: number): Promise<void> {
    await this.#act(this.plan.steps[step]!)
  }

  /** What is gone is left alone. */
  async #act(step: PlannedStep): Promise<void> {
    const kind = GRAPH_KINDS[this.plan.objects[step.object]!.kind]
    const { uid, name } = this.#made[step.object]!.metadata
    const live = await this.#objects.find(kind, name)
    if (live?.metadata.uid !== uid) return
    if (step.act === 'delete') await this.#objects.remove(kind, name, step.policy)
    else if (step.act === 'release') {
      const finalizers = live.metadata.finalizers?.filter((finalizer) => finalizer !== HELD) ?? []
      await this.#objects.patch(kind, name, { finalizers })
    } else {
      const ownerReferences = step.owners.map((reference) => this.#reference(reference))
      await this.#objects.patch(kind, name, { ownerReferences })
    }
  }

  #reference({ owner, blocks, spelling }: PlannedReference): OwnerReference {
    const { apiVersion, kind, metadata } = this.#made[owner]!
    const { name, uid } = metadata
    const reference = { apiVersion, kind, name, uid, ...(blocks === undefined ? {} : { blockOwnerDeletion: blocks }) }
    switch (spelling) {
      case 'as it is':
        return reference
      case 'in another version':
        return { ...reference, apiVersion: apiVersion.replace('example.com/v1', 'example.com/v2') }
      case 'in lower case':
        return { ...reference, kind: kind.toLowerCase() }
      case 'as a list':
        return { ...reference, kind: `${kind}List` }
      case 'by another name':
        return { ...reference, name: 'somebody' }
      case 'as another kind':
        return { ...reference, apiVersion: 'v1', kind: kind === 'ConfigMap' ? 'Secret' : 'ConfigMap' }
      case 'by another uid':
        return { ...reference, uid: `not-${uid}` }
      case 'in a namespace of its own':
        return { ...reference, apiVersion: 'v1', kind: 'ConfigMap', name: 'foreign', uid: this.#foreign.metadata.uid }
      case 'in no version':
        return { ...reference, apiVersion: apiVersion.replace(/v1$/, 'v9') }
      case 'as no kind':
        return { ...reference, kind: 'Nothing' }
    }
  }

  stateIn(left: ReadonlyMap<string, OwnedObject>): GraphState {
    const uids = new Map(this.#made.map(({ metadata }, index) => [metadata.uid, String(index)]))
    return this.#made.flatMap(({ kind, metadata: { uid } }, index) => {
      const found = left.get(uid)
      if (found === undefined) return []
      const { deletionTimestamp, finalizers = [], ownerReferences = [] } = found.metadata
      const owners = ownerReferences.map((reference) => {
        const owner = uids.get(reference.uid) ?? 'nobody'
        return reference.blockOwnerDeletion === true ? `${owner}!` : owner
      })
      const going = deletionTimestamp === undefined ? '' : ' going'
      return [`${index} ${kind}${going} [${finalizers.toSorted().join(' ')}] of [${owners.join(' ')}]`]
    })
  }
}

/** All objects by uid. */
async function everything(server: Requests): Promise<ReadonlyMap<string, OwnedObject>> {
  const left = new Map<string, OwnedObject>()
  for (const kind of Object.keys(GRAPH_KINDS) as GraphKind[]) {
    const { apiVersion, plural } = GRAPH_KINDS[kind]
    const list = await server.must(`${apiVersion.includes('/') ? '/apis' : '/api'}/${apiVersion}/${plural}`)
    for (const item of list['items'] as readonly OwnedObject[]) left.set(item.metadata.uid, item)
  }
  return left
}

async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values()
  const worker = async (): Promise<void> => {
    for (const item of rest) await work(item)
  }
  const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker))
  for (const one of ended) if (one.status === 'rejected') throw one.reason
}
