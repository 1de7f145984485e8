// What a run is about: three members of etcd and two replicas of the server with workers, all processes of their own.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type EtcdServer, startEtcdCluster } from '../../rigs/etcd-server.ts'
import { Connection, type Target } from './connection.ts'
import { putProbe } from './etcd-members.ts'
import { MovedClock } from './moved-clock.ts'
import { Replica } from './replica.ts'
import { NAMESPACES } from './roles.ts'

const TOKEN = 'robustness'
const REPLICAS = 2
const WORKERS = Number(process.env['WORKERS'] ?? 2)
/** So little that it is filled in a second. */
const QUOTA_BYTES = 48 * 1024 * 1024
const PROBES = 'probes'
const PROBE_EVERY_MS = 50
const PROBE_LIMIT_MS = 10_000
const RECOVERY_LIMIT_MS = 60_000

export interface Recovery {
  /** Of etcd itself, a write; of the replicas, a write and a consistent read at each. */
  readonly storeMs: number
  readonly replicasMs: number
}

export class World implements AsyncDisposable {
  readonly members: readonly EtcdServer[]
  readonly replicas: readonly Replica[]
  readonly #folder: string
  /** Kept, as those of clients are. */
  readonly #connections: readonly Connection[]
  #probes = 0

  private constructor(members: readonly EtcdServer[], replicas: readonly Replica[], folder: string) {
    this.members = members
    this.replicas = replicas
    this.#folder = folder
    this.#connections = this.targets.map((target) => new Connection(target, 'http1'))
  }

  static async start(): Promise<World> {
    const folder = await mkdtemp(path.join(tmpdir(), 'quarterdeck-robustness-'))
    const tokenFile = path.join(folder, 'tokens.csv')
    await writeFile(tokenFile, `${TOKEN},admin,1,system:masters\n`)
    const members = await startEtcdCluster({ flags: [`--quota-backend-bytes=${QUOTA_BYTES}`, '--log-level=info'] })
    const replicas: Replica[] = []
    for (let i = 0; i < REPLICAS; i++) {
      const clock = await MovedClock.build(folder, `clock-${i}`)
      replicas.push(await Replica.prepare({ members, tokenFile, token: TOKEN, workers: WORKERS, clock }))
    }
    const world = new World(members, replicas, folder)
    try {
      await Promise.all(replicas.map((replica) => replica.start()))
      await world.untilReady()
      await world.#makeNamespaces()
      return world
    } catch (error) {
      await world[Symbol.asyncDispose]()
      throw error
    }
  }

  /** Where clients reach the replicas. */
  get targets(): readonly Target[] {
    return this.replicas.map(({ url }) => ({ url, token: TOKEN }))
  }

  async untilReady(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.untilReady()))
  }

  /** How long it takes, from now on, until a write and a consistent read are carried out that were asked for from now on. */
  async recovered(): Promise<Recovery> {
    const start = performance.now()
    const passed = (): number => performance.now() - start
    const [storeMs, ...replicasMs] = await Promise.all([
      untilOne((limitMs) => putProbe(this.members[this.#probes++ % this.members.length]!, limitMs)).then(passed),
      ...this.#connections.map((connection) => this.#probe(connection).then(passed)),
    ])
    return { storeMs, replicasMs: Math.max(...replicasMs) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const connection of this.#connections) connection.close()
    for (const replica of this.replicas) await replica[Symbol.asyncDispose]()
    for (const member of this.members) await member[Symbol.asyncDispose]()
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #probe(connection: Connection): Promise<void> {
    const path = `/api/v1/namespaces/${PROBES}/configmaps/probe`
    await untilOne(async (limitMs) => {
      const body = { data: { probe: String(++this.#probes) } }
      const contentType = 'application/merge-patch+json'
      const written = await connection.ask({ method: 'PATCH', path, body, contentType }, limitMs)
      const read = await connection.ask({ method: 'GET', path }, limitMs)
      if (written.status !== 200 || read.status !== 200) throw new Error(`${written.status} and ${read.status}`)
    })
  }

  async #makeNamespaces(): Promise<void> {
    const create = async (path: string, name: string): Promise<void> => {
      const { status, body } = await this.#connections[0]!.ask(
        { method: 'POST', path, body: { metadata: { name } } },
        10_000,
      )
      if (status !== 201) throw new Error(`${path}: ${status} ${body}`)
    }
    for (const name of [...NAMESPACES, PROBES]) await create('/api/v1/namespaces', name)
    await create(`/api/v1/namespaces/${PROBES}/configmaps`, 'probe')
  }
}

/** Tries again and again without waiting for what was tried before; resolves with the first that succeeds. */
async function untilOne(attempt: (limitMs: number) => Promise<void>): Promise<void> {
  const end = performance.now() + RECOVERY_LIMIT_MS
  const done = new AbortController()
  let last: unknown
  while (!done.signal.aborted) {
    if (performance.now() > end) throw new Error('the servers have not recovered', { cause: last })
    void attempt(PROBE_LIMIT_MS).then(
      () => done.abort(),
      (error: unknown) => (last = error),
    )
    await delay(PROBE_EVERY_MS, undefined, { signal: done.signal }).catch(() => undefined)
  }
}
