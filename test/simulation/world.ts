// A simulated world: members of etcd, whole servers, and the network between them and their clients. Every world goes on from the same
// stored state, in which the objects that servers make at their first start are there already.
import type { MemorySnapshot } from '../../src/kv/embedded/memory.ts'
import type { Revision } from '../../src/kv/kv.ts'
import { Dice } from './dice.ts'
import { EtcdCluster } from './etcd-cluster.ts'
import { Loop } from './loop.ts'
import { Network } from './network.ts'
import { Replica } from './replica.ts'
import { SimConnection } from './sim-connection.ts'

export interface WorldSize {
  readonly servers: number
  readonly members: number
}

interface WorldOptions extends WorldSize {
  readonly seed: string
  readonly flags?: readonly string[]
}

/** When worlds begin that go on from the first one. */
const LATER_MS = 600_000
export const NAMESPACES = ['r0', 'r1', 'gc', 'quota', 'ports'] as const

export class World {
  readonly loop: Loop
  readonly network: Network
  readonly cluster: EtcdCluster
  readonly replicas: readonly Replica[]
  /** What was found beside the checks. */
  readonly broken: string[] = []
  /** Of members and servers: they ended on their own account. */
  readonly ends: string[] = []

  constructor({ seed, servers, members, flags = [] }: WorldOptions, snapshot?: MemorySnapshot) {
    this.loop = new Loop(seed, snapshot === undefined ? 0 : LATER_MS)
    const { loop } = this
    this.network = new Network(loop, new Dice(seed, 'network'))
    const parts = { loop, network: this.network, dice: new Dice(seed, 'etcd'), snapshot }
    this.cluster = new EtcdCluster(parts, members)
    this.cluster.fail = (what) => this.broken.push(what)
    const onEnd = (why: string): void => void this.ends.push(`${this.loop.nowMs.toFixed(0)} ${why}`)
    this.replicas = Array.from({ length: servers }, (_, i) => new Replica(`s${i}`, this.cluster, { flags, onEnd }))
  }

  /** Resolves when all servers are ready. */
  async start(): Promise<void> {
    this.cluster.start()
    await Promise.all(this.replicas.map((replica) => replica.start()))
  }

  /** Everything that is faulty is mended; what is down starts. */
  mend(): void {
    const { loop, network, cluster } = this
    network.mendAll()
    cluster.isFull = false
    for (const member of cluster.members) {
      loop.thaw(member.process)
      member.lagMs = 0
      cluster.restart(member)
    }
    for (const replica of this.replicas) {
      loop.thaw(replica.process)
      replica.process.skewMs = 0
      if (replica.process.state === 'dead') void replica.start()
    }
  }

  newest(): Promise<Revision> {
    return this.cluster.truth.newestRevision(new AbortController().signal)
  }
}

let beginning: Promise<MemorySnapshot> | undefined

/** The stored state that worlds go on from. */
export function begun(): Promise<MemorySnapshot> {
  beginning ??= begin()
  return beginning
}

async function begin(): Promise<MemorySnapshot> {
  const world = new World({ seed: 'the beginning', servers: 1, members: 1 })
  return world.loop.run(async () => {
    await world.start()
    const client = new SimConnection(world, 'c0', world.replicas[0]!)
    for (const name of NAMESPACES) await client.must('POST', '/api/v1/namespaces', { metadata: { name } })
    await client.must('POST', '/api/v1/namespaces/quota/resourcequotas', {
      metadata: { name: 'few' },
      spec: { hard: { 'count/configmaps': '6' } },
    })
    await new Promise((resolve) => setTimeout(resolve, 20_000))
    await world.loop.within(world.replicas[0]!.process, () => world.replicas[0]!.running!.stop())
    world.cluster.stop()
    return world.cluster.truth.snapshot()
  })
}
