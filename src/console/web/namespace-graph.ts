// The graph of a namespace: its objects, and how they refer to each other. This file needs no browser.
import { type Fields, fieldAt, fieldsAt, itemsAt, textAt } from './fields.ts'
import { type Health, healthOf, SEVERITY } from './health.ts'
import { type Kind, resourceName } from './kind.ts'

export interface GraphObject {
  readonly kind: Kind
  readonly object: Fields
}

export interface GraphNode {
  readonly id: string
  readonly kind: Kind
  /** The name of the object. For a group of pods: the name of their owner. */
  readonly name: string
  /** The number of pods in a group, if there are too many to draw each. */
  readonly pods?: number
  readonly health: Health
}

export type Relation = 'owns' | 'selects' | 'routes to' | 'scales' | 'uses'

export interface GraphEdge {
  readonly from: GraphNode
  readonly to: GraphNode
  readonly relation: Relation
}

export interface NamespaceGraph {
  /** The connected nodes that are drawn. */
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
  readonly loose: readonly GraphNode[]
  readonly isGrouped: boolean
  /** The number of connected nodes that are not among `nodes`. */
  readonly left: number
}

/** In a graph with more nodes, the pods of an owner are one node. */
export const MOST_SINGLE = 120
/** Nodes above this number are left out: a larger drawing cannot be read. */
export const MOST_DRAWN = 250

const UNSEEN: Health = { tone: '', text: 'not read', reason: '' }
const MISSING: Health = { tone: 'bad', text: 'missing', reason: '' }
/** Every namespace has these objects, and pods use them by default. */
const EVERYWHERE: readonly string[] = ['configmaps/kube-root-ca.crt', 'serviceaccounts/default']

/** `complete`: the resources whose objects were all read. Only objects of these resources are shown as missing. */
export function graphOf(
  objects: readonly GraphObject[],
  kinds: readonly Kind[],
  complete: readonly string[],
): NamespaceGraph {
  const graph = new Graph(kinds, complete)
  for (const one of objects) graph.add(one)
  for (const one of objects) graph.connect(one)
  const { nodes, edges } = graph
  const isGrouped = nodes.length > MOST_SINGLE
  const grouped = isGrouped ? podsGrouped(edges) : edges
  const connected = [...new Set(grouped.flatMap(({ from, to }) => [from, to]))]
  const drawn = new Set(connected.slice(0, MOST_DRAWN))
  const touched = new Set(edges.flatMap(({ from, to }) => [from, to]))
  return {
    nodes: [...drawn],
    edges: grouped.filter(({ from, to }) => drawn.has(from) && drawn.has(to)),
    loose: nodes.filter((node) => !touched.has(node) && !EVERYWHERE.includes(node.id)),
    isGrouped,
    left: connected.length - drawn.size,
  }
}

class Graph {
  readonly #kinds: ReadonlyMap<string, Kind>
  readonly #complete: readonly string[]
  readonly #byId = new Map<string, GraphNode>()
  readonly #byUid = new Map<string, GraphObject>()
  readonly #edges = new Map<string, GraphEdge>()
  readonly #pods: GraphObject[] = []

  constructor(kinds: readonly Kind[], complete: readonly string[]) {
    this.#kinds = new Map(kinds.map((kind) => [resourceName(kind), kind]))
    this.#complete = complete
  }

  get nodes(): readonly GraphNode[] {
    return [...this.#byId.values()]
  }

  get edges(): readonly GraphEdge[] {
    return [...this.#edges.values()]
  }

  add({ kind, object }: GraphObject): void {
    const id = idOf({ kind, object })
    const health = healthOf({ ...object, kind: kind.kind })
    this.#byId.set(id, { id, kind, name: textAt(object, 'metadata.name'), health })
    this.#byUid.set(textAt(object, 'metadata.uid'), { kind, object })
    if (id.startsWith('pods/')) this.#pods.push({ kind, object })
  }

  connect(one: GraphObject): void {
    const { object } = one
    const id = idOf(one)
    const owners = itemsAt(object, 'metadata.ownerReferences').flatMap(({ uid }) => this.#byUid.get(String(uid)) ?? [])
    for (const owner of owners) this.#edge(idOf(owner), 'owns', id)
    this.#connectSelector(one, id)
    for (const name of backendsOf(object)) this.#edge(id, 'routes to', `services/${name}`)
    for (const { secretName } of itemsAt(object, 'spec.tls')) this.#edge(id, 'uses', `secrets/${String(secretName)}`)
    this.#scale(fieldsAt(object, 'spec.scaleTargetRef'), id)
    // The owner has the same template, and so the same references.
    if (owners.some((owner) => podSpecOf(owner) !== undefined)) return
    for (const wanted of referencesOf(podSpecOf(one))) this.#edge(id, 'uses', wanted)
    const service = textAt(object, 'spec.serviceName')
    if (service !== '') this.#edge(id, 'uses', `services/${service}`)
  }

  #connectSelector({ kind, object }: GraphObject, id: string): void {
    const selector = fieldAt(object, 'spec.selector')
    const resource = resourceName(kind)
    const isService = resource === 'services' && Object.keys(fieldsAt(object, 'spec.selector')).length > 0
    if (!isService && (resource !== 'poddisruptionbudgets.policy' || selector === undefined)) return
    for (const pod of this.#pods) {
      const labels = fieldsAt(pod.object, 'metadata.labels')
      const fits = isService ? hasLabels(labels, selector) : selects(selector, labels)
      if (fits) this.#edge(id, 'selects', idOf(pod))
    }
  }

  #scale(target: Fields, id: string): void {
    const group = textAt(target, 'apiVersion').split('/').slice(0, -1).join('/')
    const kind = [...this.#kinds.values()].find((one) => one.kind === target['kind'] && one.group === group)
    if (kind !== undefined) this.#edge(id, 'scales', `${resourceName(kind)}/${textAt(target, 'name')}`)
  }

  #edge(from: string, relation: Relation, to: string): void {
    const [start, end] = [this.#byId.get(from), this.#nodeAt(to)]
    if (start !== undefined && end !== undefined && !EVERYWHERE.includes(to)) {
      this.#edges.set(`${from} ${relation} ${to}`, { from: start, to: end, relation })
    }
  }

  /** The node of an object. An object that others refer to has a node even if it does not exist. */
  #nodeAt(id: string): GraphNode | undefined {
    const [resource = '', name = ''] = id.split('/')
    const kind = this.#kinds.get(resource)
    if (this.#byId.has(id) || kind === undefined || EVERYWHERE.includes(id)) return this.#byId.get(id)
    const made = { id, kind, name, health: this.#complete.includes(resource) ? MISSING : UNSEEN }
    this.#byId.set(id, made)
    return made
  }
}

function idOf({ kind, object }: GraphObject): string {
  return `${resourceName(kind)}/${textAt(object, 'metadata.name')}`
}

function hasLabels(labels: Fields, wanted: unknown): boolean {
  return Object.entries((wanted ?? {}) as Fields).every(([key, value]) => labels[key] === value)
}

function selects(selector: unknown, labels: Fields): boolean {
  const expressions = itemsAt(selector, 'matchExpressions').every((expression) => {
    const value = labels[String(expression['key'])]
    const isIn = Array.isArray(expression['values']) && expression['values'].includes(value)
    const answers: Readonly<Record<string, boolean>> = {
      In: isIn,
      NotIn: !isIn,
      Exists: value !== undefined,
      DoesNotExist: value === undefined,
    }
    return answers[String(expression['operator'])] === true
  })
  return expressions && hasLabels(labels, fieldAt(selector, 'matchLabels'))
}

function backendsOf(object: Fields): readonly string[] {
  const paths = itemsAt(object, 'spec.rules').flatMap((rule) => itemsAt(rule, 'http.paths'))
  const backends = [...paths.map(({ backend }) => backend), fieldAt(object, 'spec.defaultBackend')]
  return backends.map((backend) => textAt(backend, 'service.name')).filter((name) => name !== '')
}

/** The spec of a pod or of a pod template. */
function podSpecOf({ kind, object }: GraphObject): Fields | undefined {
  const place =
    kind.kind === 'Pod'
      ? 'spec'
      : kind.kind === 'CronJob'
        ? 'spec.jobTemplate.spec.template.spec'
        : 'spec.template.spec'
  const spec = fieldsAt(object, place)
  return Object.keys(spec).length === 0 ? undefined : spec
}

type Places = Readonly<Record<string, string>>

const VOLUMES: Places = {
  configmaps: 'configMap.name',
  secrets: 'secret.secretName',
  persistentvolumeclaims: 'persistentVolumeClaim.claimName',
}
const SOURCES: Places = { configmaps: 'configMap.name', secrets: 'secret.name' }
const VARIABLES: Places = { configmaps: 'valueFrom.configMapKeyRef.name', secrets: 'valueFrom.secretKeyRef.name' }
const ALL_VARIABLES: Places = { configmaps: 'configMapRef.name', secrets: 'secretRef.name' }

function referencesOf(spec: Fields | undefined): readonly string[] {
  const named = (items: readonly Fields[], places: Places): string[] =>
    items.flatMap((item) => Object.entries(places).map(([resource, path]) => `${resource}/${textAt(item, path)}`))
  const volumes = itemsAt(spec, 'volumes')
  const containers = ['initContainers', 'containers'].flatMap((list) => itemsAt(spec, list))
  const found = [
    ...named(volumes, VOLUMES),
    ...volumes.flatMap((volume) => named(itemsAt(volume, 'projected.sources'), SOURCES)),
    ...containers.flatMap((container) => named(itemsAt(container, 'env'), VARIABLES)),
    ...containers.flatMap((container) => named(itemsAt(container, 'envFrom'), ALL_VARIABLES)),
    ...named(itemsAt(spec, 'imagePullSecrets'), { secrets: 'name' }),
    ...named(spec === undefined ? [] : [spec], { serviceaccounts: 'serviceAccountName' }),
  ]
  return [...new Set(found)].filter((id) => !id.endsWith('/'))
}

/** The edges with one node for all pods of an owner. This node has the health of the worst pod. */
function podsGrouped(edges: readonly GraphEdge[]): readonly GraphEdge[] {
  const groups = new Map<GraphNode, GraphNode>()
  const isPod = ({ kind }: GraphNode): boolean => resourceName(kind) === 'pods'
  const owned = Map.groupBy(
    edges.filter(({ relation, to }) => relation === 'owns' && isPod(to)),
    ({ from }) => from,
  )
  for (const [owner, members] of owned) {
    const pods = members.map(({ to }) => to).toSorted((a, b) => severity(b) - severity(a))
    const [worst] = pods
    if (worst === undefined || pods.length === 1) continue
    const group = {
      id: `${owner.id} pods`,
      kind: worst.kind,
      name: owner.name,
      pods: pods.length,
      health: worst.health,
    }
    for (const pod of pods) groups.set(pod, group)
  }
  const mapped = edges.map(({ from, to, relation }) => ({
    from: groups.get(from) ?? from,
    to: groups.get(to) ?? to,
    relation,
  }))
  return [...new Map(mapped.map((edge) => [`${edge.from.id} ${edge.relation} ${edge.to.id}`, edge])).values()]
}

function severity({ health }: GraphNode): number {
  return SEVERITY.indexOf(health.tone)
}
