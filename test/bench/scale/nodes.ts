// Many nodes at work: each renews its lease every ten seconds, tells the status of a pod every thirty, and watches its pods. What that takes
// of the server a second, and how long a renewal takes, from the moment that it was due.
import { setTimeout as sleep } from 'node:timers/promises'
import { inTurns, printTable, quantile, type Row, together } from './figures.ts'
import type { LoadClient } from './load-client.ts'
import { digits } from './seed.ts'
import type { Settings } from './settings.ts'
import type { Subject } from './subject.ts'

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases'
const PODS = '/api/v1/namespaces/default/pods'
const RENEW_EVERY_MS = 10_000
const STATUS_EVERY_MS = 30_000
const WARM_UP_MS = 10_000
const ROUND_MS = 20_000
/** How often it is looked whose turn it is. */
const TICK_MS = 5
/** Servers take a hundred streams on a connection, or more; each node has a watch there, and its requests. */
const NODES_ON_A_CONNECTION = 40
const MADE_AT_ONCE = 16

interface SimulatedNode {
  readonly name: string
  readonly client: LoadClient
  /** Of its lease. */
  version: string
  statuses: number
}

/** The times of one round. */
interface Times {
  readonly renewals: number[]
  readonly statuses: number[]
}

export async function measureNodes(subjects: readonly Subject[], settings: Settings): Promise<void> {
  const nodes = new Map<Subject, SimulatedNode[]>()
  for (const subject of subjects) {
    await subject.start()
    nodes.set(subject, [])
  }
  const print = printTable('Nodes that renew leases, tell of pods and watch them', 'nodes')
  for (const size of settings.nodes) {
    for (const subject of subjects) await addNodes(subject, nodes.get(subject)!, size)
    const round = (subject: Subject): Promise<Row> => measureRound(subject, nodes.get(subject)!)
    const rows = [await inTurns(subjects, settings.rounds, round)]
    rows.push(await inTurns(subjects, 1, async (subject) => ({ 'memory, settled, MB': await subject.settledMB() })))
    print(together(size, rows))
  }
  for (const all of nodes.values()) for (const { client } of all) client[Symbol.dispose]()
  for (const subject of subjects) await subject.stop()
}

/** Up to so many, each with a lease, a pod and a watch of its pods. */
async function addNodes(subject: Subject, nodes: SimulatedNode[], size: number): Promise<void> {
  const clients = new Map<number, LoadClient>()
  let next = nodes.length
  const make = async (): Promise<void> => {
    while (next < size) {
      const index = next++
      const group = Math.floor(index / NODES_ON_A_CONNECTION)
      const client = nodes[group * NODES_ON_A_CONNECTION]?.client ?? clients.get(group) ?? subject.connect()
      clients.set(group, client)
      nodes[index] = await makeNode(client, `node-${digits(index, 5)}`)
    }
  }
  await Promise.all(Array.from({ length: MADE_AT_ONCE }, make))
}

async function makeNode(client: LoadClient, name: string): Promise<SimulatedNode> {
  await client.do({ method: 'POST', path: '/api/v1/nodes', body: JSON.stringify({ metadata: { name } }) })
  const lease = await client.do({ method: 'POST', path: LEASES, body: leaseOf(name, undefined), keep: true })
  const spec = { nodeName: name, containers: [{ name: 'main', image: 'registry.example.com/main:1.0' }] }
  await client.do({ method: 'POST', path: PODS, body: JSON.stringify({ metadata: { name: `pod-of-${name}` }, spec }) })
  await client.watch(`${PODS}?watch=1&resourceVersion=0&fieldSelector=spec.nodeName%3D${name}`, () => {})
  return { name, client, version: versionIn(lease.text), statuses: 0 }
}

function leaseOf(name: string, resourceVersion: string | undefined): string {
  const renewTime = `${new Date().toISOString().slice(0, -1)}000Z`
  return JSON.stringify({
    metadata: { name, resourceVersion },
    spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime },
  })
}

function versionIn(text: string): string {
  return /"resourceVersion":"(\d+)"/.exec(text)?.[1] ?? ''
}

async function measureRound(subject: Subject, nodes: readonly SimulatedNode[]): Promise<Row> {
  await work(nodes, WARM_UP_MS)
  const before = subject.processorMs()
  const began = performance.now()
  const { renewals, statuses } = await work(nodes, ROUND_MS)
  const seconds = (performance.now() - began) / 1_000
  return {
    'requests a second': (renewals.length + statuses.length) / seconds,
    'processor ms a second': (subject.processorMs() - before) / seconds,
    'renewal of a lease, p50 ms': quantile(renewals, 0.5),
    'renewal of a lease, p99 ms': quantile(renewals, 0.99),
    'status of a pod, p50 ms': quantile(statuses, 0.5),
    'status of a pod, p99 ms': quantile(statuses, 0.99),
  }
}

/** Whatever the server takes, what is due is sent: each node at its own moment of every interval. Resolves when all is answered. */
async function work(nodes: readonly SimulatedNode[], forMs: number): Promise<Times> {
  const times: Times = { renewals: [], statuses: [] }
  const underWay: Promise<void>[] = []
  const send = (due: number, into: number[], request: Promise<void>): void => {
    underWay.push(request.then(() => void into.push(performance.now() - due)))
  }
  const renewals = new Turns(nodes, RENEW_EVERY_MS)
  const statuses = new Turns(nodes, STATUS_EVERY_MS)
  for (const end = performance.now() + forMs; performance.now() < end; ) {
    for (const { node, due } of renewals.due()) send(due, times.renewals, renew(node))
    for (const { node, due } of statuses.due()) send(due, times.statuses, tellStatus(node))
    await sleep(TICK_MS)
  }
  await Promise.all(underWay)
  return times
}

/** Whose turn it is, of nodes that are spread evenly over an interval. */
class Turns {
  readonly #nodes: readonly SimulatedNode[]
  readonly #stepMs: number
  readonly #began = performance.now()
  #next = 0

  constructor(nodes: readonly SimulatedNode[], everyMs: number) {
    this.#nodes = nodes
    this.#stepMs = everyMs / nodes.length
  }

  *due(): Generator<{ readonly node: SimulatedNode; readonly due: number }> {
    for (;;) {
      const due = this.#began + this.#next * this.#stepMs
      if (due > performance.now()) return
      yield { node: this.#nodes[this.#next++ % this.#nodes.length]!, due }
    }
  }
}

async function renew(node: SimulatedNode): Promise<void> {
  const { name, client, version } = node
  const body = leaseOf(name, version)
  const { text } = await client.do({ method: 'PUT', path: `${LEASES}/${name}`, body, keep: true })
  node.version = versionIn(text)
}

async function tellStatus(node: SimulatedNode): Promise<void> {
  const isReady = node.statuses++ % 2 === 0
  const lastTransitionTime = `${new Date().toISOString().slice(0, -5)}Z`
  const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime }]
  await node.client.do({
    method: 'PATCH',
    path: `${PODS}/pod-of-${node.name}/status`,
    body: JSON.stringify({ status: { phase: 'Running', conditions } }),
    contentType: 'application/strategic-merge-patch+json',
  })
}
