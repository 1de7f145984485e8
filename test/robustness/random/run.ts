// A run: clients that go on all the time, one fault after the other, and from time to time a pause in which all that was written down since
// the last one is held against the store's own account.
import { setTimeout as delay } from 'node:timers/promises'
import { writeFileSync } from 'node:fs'
import { dice } from '../../corpora/dice.ts'
import { checkWindow } from './checks.ts'
import { type ClientParts, RecordingClient } from './client.ts'
import { Client } from '../../../src/client/client.ts'
import { Connection, type Target } from './connection.ts'
import { compact, newestRevision } from './etcd-members.ts'
import type { Fault } from './faults.ts'
import { Gate } from './gate.ts'
import { type History, Recorder, type Scope, type Write } from './history.ts'
import {
  candidate,
  follower,
  LEADER_LOG,
  NAMESPACES,
  putTogether,
  type Role,
  togetherWriter,
  transactor,
  watcher,
  type WatcherKind,
  writer,
} from './roles.ts'
import { StoreRecord } from './store-record.ts'
import { Tally } from './tally.ts'
import type { World } from './world.ts'

const WRITERS = 5
const WATCHERS: readonly (readonly [WatcherKind, Scope])[] = [
  ['initial', { namespace: 'r0' }],
  ['initial', { namespace: 'r1', color: 'blue' }],
  ['resume', { namespace: 'r0' }],
  ['resume', { namespace: 'r1' }],
  ['resume', { namespace: 'r0', color: 'red' }],
  ['past', { namespace: 'r1', color: 'red' }],
  ['past', { namespace: 'r1' }],
]
const FOLLOWERS = 2
/** What a client in doubt is answered for at most: then nothing of it can be under way. */
const DOUBT_MS = 120_000
/** Load between two faults. */
const BETWEEN_MS = [200, 1_000] as const

export interface RunOptions {
  readonly seed: number
  /** Where clients go; absent: to the replicas. */
  readonly targets?: readonly Target[]
  /** For how long a fault is held at most; absent: as its kind says. */
  readonly mostHeldMs?: number
  /** For what was written down when something does not fit. */
  readonly file?: string
}

export class Run implements AsyncDisposable {
  readonly tally = new Tally()
  readonly violations: string[] = []
  readonly #world: World
  readonly #options: RunOptions
  readonly #record: StoreRecord
  readonly #recorder = new Recorder()
  readonly #gate = new Gate()
  readonly #known = { kept: 0, since: 0, newest: 0 }
  readonly #stop = new AbortController()
  readonly #clients: RecordingClient[] = []
  readonly #roll: (sides: number) => number
  #open: readonly Write[] = []
  #roles: Promise<unknown> = Promise.resolve()

  private constructor(world: World, options: RunOptions) {
    this.#world = world
    this.#options = options
    this.#roll = dice(options.seed)
    this.#record = new StoreRecord(
      world.members.map(({ endpoint }) => endpoint),
      NAMESPACES,
    )
  }

  /** Resolves when the clients are at work. */
  static async start(world: World, options: RunOptions): Promise<Run> {
    const run = new Run(world, options)
    await run.#record.run()
    const { reached } = run.#record.truth
    Object.assign(run.#known, { kept: reached, since: reached, newest: reached })
    run.#begin()
    return run
  }

  /** Injects it, holds it, heals it, and waits until all is well again. A line that says so. */
  async suffer({ sort, ms: [least, most], inject }: Fault): Promise<string> {
    await delay(BETWEEN_MS[0] + this.#roll(BETWEEN_MS[1] - BETWEEN_MS[0]))
    const recorded = (): number => this.#record.truth.reached
    const { what, heal } = await inject({ world: this.#world, roll: this.#roll, recorded })
    const held = Math.min(least + this.#roll(most - least), this.#options.mostHeldMs ?? most)
    await delay(held)
    await heal()
    const recovery = await this.#world.recovered()
    this.tally.fault(sort, recovery)
    await this.#world.untilReady()
    const [store, replicas] = [recovery.storeMs, recovery.replicasMs].map((ms) => ms.toFixed(0))
    return `${sort}: ${what}, for ${held} ms; etcd after ${store} ms, both replicas after ${replicas} ms`
  }

  /** Holds the clients up, and everything since the last time against the store. What does not fit is added to the violations. */
  async check(): Promise<void> {
    await this.#gate.close()
    await this.#caughtUp()
    const { truth } = this.#record
    const history = this.#recorder.take()
    const leases = this.#record.takeLeases()
    const { since: floor } = this.#known
    const { reached } = truth
    const found = checkWindow({ truth, history, open: this.#open, floor, leases, leaderLog: LEADER_LOG })
    this.tally.window(history, leases)
    if (found.violations.length > 0) this.#keep(history, found.violations)
    this.violations.push(...found.violations)
    const now = performance.now()
    this.#open = found.open.filter(({ end }) => now - end < DOUBT_MS)
    await this.#forget(reached)
    this.#gate.open()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    this.#gate.open()
    await this.#roles
    for (const client of this.#clients) client.close()
    await this.#record.stop()
  }

  #begin(): void {
    const { gate, recorder, known, roll, targets } = {
      gate: this.#gate,
      recorder: this.#recorder,
      known: this.#known,
      roll: dice(this.#options.seed + 1),
      targets: this.#options.targets ?? this.#world.targets,
    }
    const parts: ClientParts = { recorder, gate, roll, known }
    const client = (role: string): RecordingClient => {
      // What a run before this one wrote in the same store was of other clients.
      const name = `${role}.${known.since}`
      const way = this.#clients.length % 2 === 0 ? 'http1' : 'http2'
      const made = new RecordingClient(
        name,
        parts,
        targets.map((target) => new Connection(target, way)),
      )
      this.#clients.push(made)
      return made
    }
    const roles: Role[] = [
      ...Array.from({ length: WRITERS }, (_, i) => writer(client(`writer${i}`))),
      ...WATCHERS.map(([kind, scope], i) => watcher(client(`watcher${i}`), kind, scope)),
      ...Array.from({ length: FOLLOWERS }, (_, i) => follower(client(`follower${i}`))),
      transactor(client('transactor')),
      togetherWriter(parts, (contents) => {
        const { members } = this.#world
        return putTogether(members[roll(members.length)]!.endpoint, contents)
      }),
      ...this.#world.targets.map(({ url, token }, i) =>
        candidate(client(`candidate${i}`), () => new Client({ url, token, insecureSkipTlsVerify: true })),
      ),
    ]
    this.#roles = Promise.all(roles.map((role) => role(this.#stop.signal)))
  }

  /** The record of the store has all that has happened until now. */
  async #caughtUp(): Promise<void> {
    await this.#record.untilReached(await newestRevision(this.#world.members[0]!))
  }

  /** The window that was checked is kept for those who go on from there; what is before it is forgotten, by etcd, too. */
  async #forget(reached: number): Promise<void> {
    const { truth } = this.#record
    truth.forgetBefore(this.#known.since)
    await compact(this.#world.members[0]!, this.#known.since)
    Object.assign(this.#known, { kept: this.#known.since, since: reached, newest: reached })
  }

  #keep(history: History, violations: readonly string[]): void {
    const { file } = this.#options
    if (file === undefined) return
    const { changes } = this.#record.truth
    writeFileSync(file, JSON.stringify({ seed: this.#options.seed, violations, changes, history }))
  }
}
