// One simulated run: servers, clients and faults by one seed, then peace, and everything that was told and stored held against the log.
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from '../../src/client/client.ts'
import { checkWindow } from '../robustness/random/checks.ts'
import { type ClientParts, RecordingClient } from '../robustness/random/client.ts'
import { Gate } from '../robustness/random/gate.ts'
import { type History, Recorder, type WriteOutcome } from '../robustness/random/history.ts'
import type { LeaseVersion } from '../robustness/random/leader-checks.ts'
import {
  candidate,
  follower,
  LEADER_LOG,
  NAMESPACES,
  type Role,
  type Together,
  togetherWriter,
  transactor,
  watcher,
  writer,
} from '../robustness/random/roles.ts'
import { leaseVersion, seenObject, type StoredObject } from '../robustness/random/store-record.ts'
import { Truth } from '../robustness/random/truth.ts'
import { prefixRange } from '../../src/kv/kv.ts'
import { Dice } from './dice.ts'
import type { CommittedChange } from './etcd-cluster.ts'
import { type Fault, FAULTS, type Injected } from './faults.ts'
import { SimConnection, transportOf } from './sim-connection.ts'
import { exposer, Invariants, owner, spender, type WorkParts } from './workload.ts'
import { begun, World } from './world.ts'

export interface RunOptions {
  readonly seed: string
  readonly servers?: number
  readonly members?: number
  /** How many faults there are. */
  readonly faults?: number
  /** Faults that are left out, by their numbers: what shrinking has found not to matter. */
  readonly without?: readonly number[]
  /** For so long there are faults. */
  readonly faultyMs?: number
  /** Takes each line of what happens. */
  readonly trace?: (line: string) => void
}

export interface RunResult {
  readonly seed: string
  readonly violations: readonly string[]
  readonly operations: number
  readonly faults: number
  readonly events: number
  /** How often an operation ended while a fault was held: `fault × operation`. */
  readonly pairs: ReadonlyMap<string, number>
  readonly fingerprint: number
  readonly simulatedMs: number
}

const FAULTY_MS = 20_000
const FAULT_COUNT = 12
/** A fault that cannot happen now, such as a crash of what is down, is replaced by another one. */
const MOST_PICKS = 8
/** Clients go on after the last fault until there were so many operations. */
const LEAST_OPERATIONS = 300
const MORE_MS = 200
/** Once all faults have ended, every server does what it is asked within this time. */
const RECOVERY_MS = 60_000
/** And what controllers do about all that has happened is done within this. */
const SETTLE_MS = 60_000
const SETTLE_STEP_MS = 250
/** Every server is asked in these ways for what it has at the end. */
const AT_END = ['latest', 'any'] as const
/** A candidate whose clock is fast takes a lease that has not ended yet by the world's. */
const LEAST_OF_A_LEASE = 0.98
const SLOWNESS = 40
const WRITERS = 4
const CONFIG_MAPS = '/registry/configmaps/'
const LEASE = '/registry/leases/kube-system/quarterdeck-controllers'

export async function runSeed(options: RunOptions): Promise<RunResult> {
  const snapshot = await begun()
  const { seed, servers = 3, members = 3 } = options
  const world = new World({ seed, servers, members }, snapshot)
  const run = new Run(world, options)
  return world.loop.run(() => run.go())
}

class TracedRecorder extends Recorder {
  readonly #tell: (kind: string, entry: unknown) => void

  constructor(tell: (kind: string, entry: unknown) => void) {
    super()
    this.#tell = tell
  }

  override add<Kind extends keyof History>(kind: Kind, entry: History[Kind][number]): void {
    this.#tell(kind, entry)
    super.add(kind, entry)
  }
}

class Run {
  readonly #world: World
  readonly #options: RunOptions
  readonly #truth = new Truth()
  readonly #invariants = new Invariants()
  readonly #gate = new Gate()
  readonly #recorder = new TracedRecorder((kind, entry) => this.#operation(kind, entry))
  readonly #known = { kept: 0, since: 0, newest: 0 }
  readonly #active = new Map<Injected, string>()
  readonly #pairs = new Map<string, number>()
  readonly #hosts: string[] = []
  readonly #leases: LeaseVersion[] = []
  #operations = 0
  #faults = 0

  constructor(world: World, options: RunOptions) {
    this.#world = world
    this.#options = options
    this.#world.cluster.onChange = (change) => this.#see(change)
  }

  async go(): Promise<RunResult> {
    const { loop, cluster } = this.#world
    const { faultyMs = FAULTY_MS } = this.#options
    const reached = await this.#world.newest()
    await this.#learnTruth()
    this.#truth.reach(reached)
    Object.assign(this.#known, { kept: reached, since: reached, newest: reached })
    await this.#world.start()
    this.#say('all servers are ready')
    const violations = await Promise.race([this.#live(faultyMs, reached), this.#begin()])
    cluster.stop()
    for (const violation of violations) this.#say(`VIOLATION ${violation}`)
    return {
      seed: loop.seed,
      violations,
      operations: this.#operations,
      faults: this.#faults,
      events: loop.events,
      pairs: this.#pairs,
      fingerprint: loop.fingerprint,
      simulatedMs: loop.nowMs,
    }
  }

  /** Faults, then peace; what was found. */
  async #live(faultyMs: number, floor: number): Promise<readonly string[]> {
    await Promise.all([this.#sufferAll(), delay(faultyMs)])
    for (const [{ heal }] of this.#active) heal()
    this.#active.clear()
    this.#world.mend()
    this.#say('peace')
    const violations = await this.#recovered()
    const wanted = LEAST_OPERATIONS - this.#world.replicas.length * NAMESPACES.length * AT_END.length
    for (let waited = 0; this.#operations < wanted && waited < RECOVERY_MS; waited += MORE_MS) await delay(MORE_MS)
    await this.#gate.close()
    await this.#settle()
    return [...violations, ...(await this.#atEnd(floor))]
  }

  /** What is there at the beginning. */
  async #learnTruth(): Promise<void> {
    const { items } = await this.#world.cluster.truth.list(prefixRange(CONFIG_MAPS), NEVER)
    for (const change of [...items].sort((a, b) => a.revision - b.revision)) this.#see(change)
  }

  #say(line: string): void {
    const { loop } = this.#world
    loop.note(line)
    this.#options.trace?.(`${(loop.nowMs / 1000).toFixed(3).padStart(9)} ${line}`)
  }

  #operation(kind: string, entry: unknown): void {
    const { verb = kind, outcome } = entry as { readonly verb?: string; readonly outcome?: WriteOutcome }
    this.#count(verb)
    this.#say(`${verb} ${JSON.stringify(entry)}${outcome?.kind === 'unknown' ? ' ?' : ''}`)
  }

  #count(operation: string): void {
    this.#operations++
    for (const fault of new Set(this.#active.values())) {
      const pair = `${fault} × ${operation}`
      this.#pairs.set(pair, (this.#pairs.get(pair) ?? 0) + 1)
    }
  }

  #see(change: CommittedChange): void {
    const { key, value, revision } = change
    this.#invariants.see(change)
    if (key === LEASE && value !== undefined) {
      // The clocks of servers jump; that of the world does not.
      const { nowMs } = this.#world.loop
      const version = leaseVersion(value.toString(), revision)
      const durationMs = version.durationMs * LEAST_OF_A_LEASE
      this.#leases.push({ ...version, renewedMs: nowMs, seenMs: nowMs, durationMs })
    }
    const name = key.startsWith(CONFIG_MAPS) ? key.slice(CONFIG_MAPS.length) : ''
    if ((NAMESPACES as readonly string[]).includes(name.split('/')[0]!) && name !== '') {
      const stored = value === undefined ? undefined : (JSON.parse(value.toString()) as StoredObject)
      this.#truth.add({ revision, key: name, object: stored && seenObject(stored, revision) })
    }
    this.#truth.reach(revision)
  }

  /** All clients, each a process of its own. They go on until the world ends; rejects where one of them breaks. */
  async #begin(): Promise<never> {
    const world = this.#world
    const { replicas, loop } = world
    const dice = new Dice(loop.seed, 'clients')
    const parts: ClientParts = {
      recorder: this.#recorder,
      gate: this.#gate,
      roll: dice.below,
      known: this.#known,
      slowness: SLOWNESS,
    }
    const running: Promise<void>[] = []
    const { signal } = new AbortController()
    const spawn = (name: string, role: (host: string, connections: readonly SimConnection[]) => Role): void => {
      const host = `c${this.#hosts.length}`
      this.#hosts.push(host)
      const connections = replicas.map((replica) => new SimConnection(world, host, replica))
      running.push(loop.within(loop.process(name), () => role(host, connections)(signal)))
    }
    const recording = (name: string, role: (client: RecordingClient, host: string) => Role): void =>
      spawn(name, (host, connections) => role(new RecordingClient(name, parts, connections), host))
    for (let i = 0; i < WRITERS; i++) recording(`writer${i}`, (client) => writer(client))
    recording('transactor0', (client) => transactor(client))
    recording('watcher0', (client) => watcher(client, 'initial', { namespace: 'r0' }))
    recording('watcher1', (client) => watcher(client, 'initial', { namespace: 'r1', color: 'blue' }))
    recording('watcher2', (client) => watcher(client, 'resume', { namespace: 'r0', color: 'red' }))
    recording('watcher3', (client) => watcher(client, 'resume', { namespace: 'r1' }))
    recording('watcher4', (client) => watcher(client, 'past', { namespace: 'r1' }))
    recording('follower0', (client) => follower(client))
    recording('follower1', (client) => follower(client))
    for (const [i, replica] of replicas.slice(0, 2).entries()) {
      recording(`candidate${i}`, (client, host) => candidate(client, () => clientOf(world, host, replica)))
    }
    spawn('together', () => togetherWriter(parts, (contents) => this.#putTogether(contents, dice)))
    const work = (name: string, role: (parts: WorkParts, name: string) => Role): void =>
      spawn(name, (_, connections) => {
        const own = { dice: new Dice(loop.seed, name), gate: this.#gate, connections }
        return role({ ...own, count: (operation) => this.#count(operation) }, name)
      })
    work('owner0', owner)
    work('spender0', spender)
    work('spender1', spender)
    work('exposer0', exposer)
    work('exposer1', exposer)
    await Promise.all(running)
    throw new Error('the clients have ended')
  }

  async #putTogether(contents: Together, dice: Dice): Promise<WriteOutcome> {
    const { cluster, loop } = this.#world
    const member = dice.pick(cluster.members)
    if (!member.isUp) return { kind: 'refused', status: 0 }
    const done = Promise.withResolvers<WriteOutcome>()
    const why = (error: unknown): WriteOutcome => ({ kind: 'unknown', why: String(error) })
    loop.at(1, member.process, () => {
      const written = member.transact(
        {
          bytes: 0,
          freesSpace: false,
          run(transaction) {
            for (const { key, value } of contents) transaction.put({ key, value: Buffer.from(value), lease: 0n })
            return transaction.newest
          },
        },
        NEVER,
      )
      written.then(
        (revision) => done.resolve({ kind: 'done', revision, uid: '' }),
        (error: unknown) => done.resolve(why(error)),
      )
    })
    return Promise.race([done.promise, delay(TOGETHER_MS, why('late'))])
  }

  async #sufferAll(): Promise<void> {
    const { seed, faults = FAULT_COUNT, faultyMs = FAULTY_MS, without = [] } = this.#options
    const dice = new Dice(seed, 'faults')
    // Some seeds have few sorts of faults, which then meet more often.
    const few = dice.chance(0.3) ? FAULTS.filter(() => dice.chance(0.25)) : []
    const sorts = few.length === 0 ? FAULTS : few
    const planned = Array.from({ length: faults }, (_, i) => ({
      atMs: dice.between(0, faultyMs),
      own: new Dice(seed, `fault ${i}`),
      isLeftOut: without.includes(i),
    }))
    await Promise.all(
      planned.map(async ({ atMs, own, isLeftOut }, i) => {
        if (isLeftOut) return
        await delay(atMs)
        const held = this.#inject(own, sorts)
        if (held === undefined) return
        const { fault, injected } = held
        this.#faults++
        this.#active.set(injected, fault.sort)
        this.#say(`fault ${i}: ${fault.sort}: ${injected.what}`)
        await delay(Math.min(own.between(...fault.held), Math.max(0, faultyMs - atMs)))
        if (!this.#active.delete(injected)) return
        injected.heal()
        this.#say(`healed ${i}: ${fault.sort}`)
      }),
    )
  }

  #inject(dice: Dice, sorts: readonly Fault[]): { readonly fault: Fault; readonly injected: Injected } | undefined {
    for (let picks = 0; picks < MOST_PICKS; picks++) {
      const fault = dice.pick(picks < MOST_PICKS / 2 ? sorts : FAULTS)
      const injected = fault.inject(this.#world, dice, this.#hosts)
      if (injected !== undefined) return { fault, injected }
    }
    return undefined
  }

  /** Waits until the controllers have nothing left to do: most of a quiet minute is heartbeats. */
  async #settle(): Promise<void> {
    for (let waited = 0; waited < SETTLE_MS; waited += SETTLE_STEP_MS) {
      await delay(SETTLE_STEP_MS)
      if (this.#invariants.atEnd().length === 0) return
    }
  }

  /** Every server carries out a write and a consistent read. */
  async #recovered(): Promise<string[]> {
    const { replicas } = this.#world
    const late = await Promise.all(
      replicas.map((replica) => this.#recover(new SimConnection(this.#world, 'probe', replica))),
    )
    return late.flatMap((why, i) =>
      why === undefined ? [] : [`liveness: ${replicas[i]!.name} does not recover: ${why}`],
    )
  }

  async #recover(connection: SimConnection): Promise<string | undefined> {
    const until = performance.now() + RECOVERY_MS
    let why = ''
    for (let i = 0; performance.now() < until; i++) {
      try {
        const path = '/api/v1/namespaces/default/configmaps'
        const metadata = { generateName: `probe-` }
        await connection.must('POST', path, { metadata })
        await connection.must('GET', path)
        return undefined
      } catch (error) {
        why = String(error)
      }
      await delay(500)
    }
    return why
  }

  async #atEnd(floor: number): Promise<readonly string[]> {
    const { loop, replicas } = this.#world
    // As every server sees it, from its cache and from the store.
    for (const [i, replica] of replicas.entries()) {
      const parts: ClientParts = { recorder: this.#recorder, gate: this.#gate, roll: () => 0, known: this.#known }
      const client = new RecordingClient(`end${i}`, parts, [new SimConnection(this.#world, `end${i}`, replica)])
      for (const namespace of NAMESPACES) {
        for (const kind of AT_END) {
          const list = await client.list({ namespace }, { kind })
          if (list === undefined) return [`liveness: ${replica.name} does not list`]
          // In peace, a cache is as new as the store.
          this.#recorder.add('lists', { ...list, at: { kind: 'latest' } })
        }
      }
    }
    const found = checkWindow({
      truth: this.#truth,
      history: this.#recorder.take(),
      open: [],
      floor,
      leases: this.#leases,
      leaderLog: LEADER_LOG,
    })
    loop.note(`${this.#truth.reached}`)
    const { broken } = this.#world
    return [...found.violations, ...this.#invariants.violations, ...this.#invariants.atEnd(), ...broken]
  }
}

const TOGETHER_MS = 2_000
const NEVER = new AbortController().signal

function clientOf(world: World, host: string, replica: World['replicas'][number]): Client {
  return new Client({ url: 'https://127.0.0.1:6443', transport: transportOf(world, host, replica) })
}
