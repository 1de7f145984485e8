// Random graphs of owners and dependents, and what is done to them: the same seed gives the same graph and the same steps.
import { Random } from './arbitrary-object.ts'
import { definedKind } from './defined-kinds.ts'
import { CONFIG_MAP, type OwnedKind, type Propagation } from './owned-objects.ts'

/** Something that holds an object until a step takes it away. */
export const HELD = 'example.com/held'

export const GRAPH_KINDS = {
  configMap: CONFIG_MAP,
  secret: { apiVersion: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true },
  pod: {
    apiVersion: 'v1',
    kind: 'Pod',
    plural: 'pods',
    namespaced: true,
    content: { spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
  /** Its dependents are orphans unless somebody says otherwise. */
  replicationController: {
    apiVersion: 'v1',
    kind: 'ReplicationController',
    plural: 'replicationcontrollers',
    namespaced: true,
    content: {
      spec: {
        replicas: 0,
        selector: { a: 'b' },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    },
  },
  clusterRole: {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    plural: 'clusterroles',
    namespaced: false,
    content: { rules: [] },
  },
  /** Served in v1 and v2. */
  thing: definedKind('graphs.example.com'),
  /** The same, for the whole cluster. */
  clusterThing: definedKind('wide-graphs.example.com', false),
} as const satisfies Readonly<Record<string, OwnedKind>>

export type GraphKind = keyof typeof GRAPH_KINDS

export interface PlannedObject {
  readonly kind: GraphKind
  readonly finalizers: readonly string[]
  /** There from the beginning: nothing is wrong with them. */
  readonly owners: readonly PlannedReference[]
}

/** How the owner is named. */
export type Spelling =
  | 'as it is'
  | 'in another version'
  | 'in lower case'
  /** From here on there is no such owner. */
  | 'as a list'
  | 'by another name'
  | 'as another kind'
  | 'by another uid'
  | 'in a namespace of its own'
  /** From here on nobody can say whether there is one. */
  | 'in no version'
  | 'as no kind'

export interface PlannedReference {
  /** The number of an object. */
  readonly owner: number
  readonly blocks: boolean | undefined
  readonly spelling: Spelling
}

export type PlannedStep =
  | { readonly act: 'delete'; readonly object: number; readonly policy: Propagation | undefined }
  /** What holds the object is taken away. */
  | { readonly act: 'release'; readonly object: number }
  /** The object has these owners from now on. */
  | { readonly act: 'own'; readonly object: number; readonly owners: readonly PlannedReference[] }

export interface PlannedGraph {
  /** In the names of its objects. */
  readonly id: string
  readonly objects: readonly PlannedObject[]
  readonly steps: readonly PlannedStep[]
}

const KINDS: readonly [GraphKind, ...GraphKind[]] = [
  'configMap',
  'secret',
  'pod',
  'replicationController',
  'clusterRole',
  'thing',
  'thing',
  'thing',
  'clusterThing',
]
const FINALIZERS: readonly [readonly string[], ...(readonly string[])[]] = [
  [],
  [],
  [],
  [],
  [HELD],
  [HELD],
  ['orphan'],
  ['foregroundDeletion'],
  ['foregroundDeletion', HELD],
]
const POLICIES: readonly [Propagation | undefined, ...(Propagation | undefined)[]] = [
  undefined,
  'Background',
  'Foreground',
  'Foreground',
  'Foreground',
  'Orphan',
]
const GOOD: readonly [Spelling, ...Spelling[]] = [
  'as it is',
  'as it is',
  'as it is',
  'as it is',
  'in another version',
  'in lower case',
]
const BAD: readonly [Spelling, ...Spelling[]] = [
  'as a list',
  'by another name',
  'as another kind',
  'by another uid',
  'in a namespace of its own',
]
const DOUBTFUL: readonly [Spelling, ...Spelling[]] = ['in no version', 'as no kind']

export const STEPS = 6

export function plannedGraph(seed: number): PlannedGraph {
  const random = new Random(seed, 1)
  const kinds = Array.from({ length: 3 + random.below(7) }, () => random.pick(KINDS))
  // Nobody can say what becomes of whom where kinds are unknown, and the reference looks at such again and again: a few will do.
  const isDoubtful = random.below(25) === 0
  const isCircle = random.below(3) === 0
  const objects = kinds.map((kind, object): PlannedObject => {
    const owners = pickOwners(random, kinds, object, GOOD)
    const next: PlannedReference = { owner: (object + 1) % kinds.length, blocks: true, spelling: 'as it is' }
    const inCircle = isCircle && mayOwn(kinds, next.owner, object)
    return {
      kind,
      finalizers: random.pick(FINALIZERS),
      owners: inCircle ? [next, ...owners.filter(({ owner }) => owner !== next.owner)] : owners,
    }
  })
  const named = objects.map(({ owners }) => new Set(owners.map(({ owner }) => owner)))
  const steps = Array.from({ length: STEPS }, (): PlannedStep => {
    const object = random.below(kinds.length)
    const act = random.pick(['delete', 'delete', 'delete', 'delete', 'release', 'release', 'own'] as const)
    if (act === 'delete') return { act, object, policy: random.pick(POLICIES) }
    if (act === 'release') return { act, object }
    // The reference does not look again at an owner whose name, kind or version changes and whose uid does not.
    const owners = pickOwners(random, kinds, object, [...GOOD, ...BAD, ...(isDoubtful ? DOUBTFUL : [])]).filter(
      ({ owner, spelling }) => GOOD.includes(spelling) || !named[object]!.has(owner),
    )
    for (const { owner } of owners) named[object]!.add(owner)
    return { act, object, owners }
  })
  return { id: String(seed), objects, steps }
}

function pickOwners(
  random: Random,
  kinds: readonly GraphKind[],
  object: number,
  spellings: readonly [Spelling, ...Spelling[]],
): readonly PlannedReference[] {
  const owners = new Map<number, PlannedReference>()
  for (let left = random.pick([0, 1, 1, 1, 2, 2, 3]); left > 0; left--) {
    const owner = random.below(kinds.length)
    const blocks = random.pick([true, true, false, undefined])
    // Mostly a tree; the rest is whatever comes.
    const isDown = owner < object || random.below(4) === 0
    const isPossible = mayOwn(kinds, owner, object) || random.below(8) === 0
    if (isDown && isPossible) owners.set(owner, { owner, blocks, spelling: random.pick(spellings) })
  }
  return [...owners.values()]
}

/** What is in a namespace cannot own what belongs to the whole cluster. */
function mayOwn(kinds: readonly GraphKind[], owner: number, object: number): boolean {
  return !GRAPH_KINDS[kinds[owner]!].namespaced || GRAPH_KINDS[kinds[object]!].namespaced
}
