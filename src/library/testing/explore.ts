// Runs a test in many simulated worlds. A world has servers in virtual time, programs that use them, and faults that the seed chooses. A
// seed always gives the same run.
import { Client } from '../../client/client.ts'
import type { Clock } from '../../lib/clock.ts'
import { messageOf } from '../../lib/errors.ts'
import { checkOptions, checkValue } from '../../lib/known-options.ts'
import { pause } from '../../lib/pause.ts'
import { type Random, seededRandom } from '../../lib/random.ts'
import {
  replicaOf,
  type Server,
  type ServerOptions,
  type Snapshot,
  startRepeatable,
  startServer,
  transportTo,
} from '../library.ts'
import { ExploredLink } from './explored-link.ts'

/** The faults in an explored world. */
const SORTS = [
  /** A program's requests do not get through for a while. */
  'partition',
  /** A write is carried out, and its answer is lost. */
  'lost-answer',
  /** Another client changes an object just before the program updates it. */
  'conflict',
  /** Watches break off. */
  'broken-watch',
  /** Watch events come late. */
  'late-watch',
  /** A program ends in the middle, before or after a write, and starts again. */
  'crash',
  /** For a while, a server does not get changes of the store: reads from its cache are old. */
  'stale-server',
  /** The store cannot be reached for a while. */
  'store-outage',
  /** From then on, a program's connection leads to another server. */
  'other-server',
] as const

export type ExploredFault = (typeof SORTS)[number]

export interface ExploreOptions extends Pick<ServerOptions, 'flags' | 'log'> {
  /** The number of worlds, with the seeds 1, 2, 3, …; or a list of seeds, to repeat worlds. */
  readonly seeds: number | readonly (number | string)[]
  /** The number of servers on one store that programs work with. Default: 1. */
  readonly servers?: number
  /** The number of faults in each world, or the sorts from which its 5 faults are chosen. Default: 5 faults of all sorts. */
  readonly faults?: number | readonly ExploredFault[]
  /** Prepares the state that all worlds begin with. */
  readonly setup?: (server: Server) => unknown
}

/** The failure that a seed has shown. `explore({ …, seeds: [seed] }, …)` shows it again. */
export class ExplorationError extends Error {
  override readonly name = 'ExplorationError'
  readonly seed: string

  constructor(seed: string, events: readonly string[], cause: unknown) {
    const story = events.map((line) => `\n  ${line}`).join('')
    super(`seed ${seed}: ${messageOf(cause)}${story}\nrepeat it with seeds: [${JSON.stringify(seed)}]`, { cause })
    this.seed = seed
  }
}

/** A tested program. It works with the client until the signal fires or until it crashes. Then it is started again. */
export type Program = (client: Client, signal: AbortSignal) => Promise<unknown>

export interface ExploredWorld {
  readonly seed: string
  /** The servers that programs use. */
  readonly servers: readonly Server[]
  /** The clock of the world, which `advance` moves. Programs must wait by this clock. */
  readonly clock: Clock
  /** A client for the test's own writes and checks. Its server is on the same store, and no fault reaches that server. */
  readonly client: Client
  /** The faults, and the failures of programs, so far. */
  readonly events: readonly string[]
  /** Runs a program until the world ends. */
  run(name: string, program: Program): void
  /** A whole number from 0 to `limit - 1`, which follows from the seed. */
  below(limit: number): number
  /** Moves the time on, as `server.clock.advance` does. Faults come while time passes. */
  advance(duration: number | string): Promise<void>
  /** Ends all faults and repairs their effects. Then the given time passes, a minute by default. */
  settle(duration?: number | string): Promise<void>
}

const FAULTS = 5
/** Faults begin within the first of these times. The second limits the time that each fault lasts. */
const WITHIN_MS = 30_000
const LONGEST_MS = 8_000
const RESTART_MS = 1_000
const SETTLE = '1m'

/**
 * Runs the test in one world after the other. A program of the test (a controller, an operator) meets crashes, conflicts, stale caches and
 * partitions in virtual time. Rejects with an `ExplorationError` at the first test that throws. The error has the seed, which repeats the
 * failure.
 *
 *     await explore({ seeds: 100, faults: ['crash', 'conflict'] }, async (world) => {
 *       world.run('controller', (client, signal) => runController(client, signal))
 *       await world.client.resource(k8s.ConfigMap).inNamespace('default').create({ metadata: { name: 'order' } })
 *       await world.advance('30s')
 *       await world.settle()
 *       // Check here what the controller has made.
 *     })
 */
export async function explore(options: ExploreOptions, test: (world: ExploredWorld) => unknown): Promise<void> {
  checkOptions('explore', options, {
    seeds: { wanted: 'a number of seeds, or a list of them', fits: (seeds) => Array.isArray(seeds) || isCount(seeds) },
    servers: {
      wanted: 'a whole number from 1 on',
      fits: (servers) => servers === undefined || (isCount(servers) && servers !== 0),
    },
    faults: {
      wanted: `a number of faults, or a list of ${SORTS.join(', ')}`,
      fits: (faults) => faults === undefined || isFaults(faults),
    },
    setup: 'function?',
    flags: 'object?',
    log: 'log?',
  })
  checkValue('explore', 'test', test, 'function')
  const { seeds, setup, flags, log } = options
  const given = {
    ...(flags === undefined ? {} : { flags }),
    ...(log === undefined ? {} : { log }),
    clock: 'virtual',
  } as const
  const snapshot = await begin({ ...given, seed: 'explore' }, setup)
  for (const seed of typeof seeds === 'number' ? Array.from({ length: seeds }, (_, i) => i + 1) : seeds) {
    await exploreOne({ ...given, seed: String(seed), snapshot }, options, test)
  }
}

const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0
const isFaults = (value: unknown): boolean =>
  isCount(value) ||
  (Array.isArray(value) && value.length > 0 && value.every((one) => SORTS.includes(one as ExploredFault)))

async function begin(options: ServerOptions, setup: ExploreOptions['setup']): Promise<Snapshot> {
  await using server = await startServer(options)
  await setup?.(server)
  return server.snapshot()
}

async function exploreOne(
  options: ServerOptions & { readonly seed: string; readonly snapshot: Snapshot },
  { servers: count = 1, faults = FAULTS }: ExploreOptions,
  test: (world: ExploredWorld) => unknown,
): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const first = opened.use(await startRepeatable(options))
  // No fault reaches the first server. The servers that share its store end before it.
  const servers: Server[] = []
  for (let i = 0; i < count; i++) servers.push(opened.use(await replicaOf(first, `${options.seed}/${i}`)))
  const world = opened.use(new World({ seed: options.seed, first, servers }, faults))
  try {
    await test(world)
  } catch (error) {
    throw new ExplorationError(options.seed, world.events, error)
  }
}

interface Running {
  readonly name: string
  link: ExploredLink | undefined
  end: () => void
}

interface WorldParts {
  readonly seed: string
  readonly first: Server
  readonly servers: readonly Server[]
}

class World implements ExploredWorld, AsyncDisposable {
  readonly seed: string
  readonly servers: readonly Server[]
  readonly clock: Server['clock']
  readonly client: Client
  readonly events: string[] = []
  readonly #random: Random
  readonly #dice: Random
  readonly #programs: Running[] = []
  readonly #running: Promise<void>[] = []
  readonly #heals = new Set<() => void>()
  readonly #over = new AbortController()
  #isPeaceful = false

  constructor({ seed, first, servers }: WorldParts, faults: number | readonly ExploredFault[]) {
    this.seed = seed
    this.servers = servers
    this.clock = first.clock
    this.client = first.client()
    this.#random = seededRandom(seed, 'test')
    this.#dice = seededRandom(seed, 'faults')
    const [count, sorts] = typeof faults === 'number' ? [faults, SORTS] : [FAULTS, faults]
    for (let i = 0; i < count; i++) {
      const sort = sorts[this.#dice.below(sorts.length)]!
      this.clock.callAfter(this.#dice.below(WITHIN_MS), () => this.#strike(sort))
    }
  }

  run(name: string, program: Program): void {
    checkValue('world.run', 'program', program, 'function')
    const running: Running = { name, link: undefined, end: () => {} }
    this.#programs.push(running)
    this.#running.push(this.#keepRunning(running, program))
  }

  below(limit: number): number {
    return this.#random.below(limit)
  }

  advance(duration: number | string): Promise<void> {
    return this.clock.advance(duration)
  }

  async settle(duration: number | string = SETTLE): Promise<void> {
    this.#isPeaceful = true
    for (const heal of this.#heals) heal()
    for (const { link } of this.#programs) link?.mend()
    await this.advance(duration)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isPeaceful = true
    this.#over.abort()
    for (const { end } of this.#programs) end()
    await Promise.all(this.#running)
  }

  async #keepRunning(running: Running, program: Program): Promise<void> {
    const { signal } = this.#over
    while (!signal.aborted) {
      const life = new AbortController()
      const link = new ExploredLink(this.servers.map((server) => transportTo(server)))
      const { url, token } = this.servers[0]!.credentials()
      const client = new Client({ url, token, clock: this.clock, transport: link })
      running.link = link
      const ended = new Promise<void>((resolve) => {
        running.end = () => {
          life.abort()
          client.close()
          resolve()
        }
      })
      // The world does not wait for a crashed program.
      const run = program(client, life.signal).catch((error: unknown) =>
        this.#tell(`${running.name} failed: ${messageOf(error)}`),
      )
      await Promise.race([run, ended])
      running.end()
      await pause(this.clock, RESTART_MS, signal)
    }
  }

  #strike(sort: ExploredFault): void {
    const program = this.#programs[this.#dice.below(Math.max(1, this.#programs.length))]
    const server = this.servers[this.#dice.below(this.servers.length)]!
    const [amount, lastsMs] = [1 + this.#dice.below(2), 100 + this.#dice.below(LONGEST_MS)]
    if (this.#isPeaceful) return
    if (sort === 'stale-server' || sort === 'store-outage') {
      const fault = sort === 'stale-server' ? server.faults.staleReplica() : server.faults.storeOutage()
      this.#tell(`${sort} for ${lastsMs} ms`)
      return this.#healAfter(lastsMs, () => fault.remove())
    }
    const link = program?.link
    if (program === undefined || link === undefined) return
    this.#tell(`${program.name}: ${sort}`)
    switch (sort) {
      case 'partition':
        link.isCut = true
        link.breakWatches()
        return this.#healAfter(lastsMs, () => (link.isCut = false))
      case 'late-watch':
        link.hold()
        return this.#healAfter(lastsMs, () => link.release())
      case 'lost-answer':
        link.lostAnswers = amount
        return
      case 'conflict':
        link.conflicts = amount
        return
      case 'broken-watch':
        link.breakWatches()
        return
      case 'crash':
        link.crash = { isSent: amount === 1, now: () => program.end() }
        return
      case 'other-server':
        link.target = this.#dice.below(this.servers.length)
        link.breakWatches()
        return
    }
  }

  #healAfter(milliseconds: number, heal: () => void): void {
    const once = (): void => {
      if (this.#heals.delete(once)) heal()
    }
    this.#heals.add(once)
    this.clock.callAfter(milliseconds, once)
  }

  #tell(line: string): void {
    this.events.push(`${new Date(this.clock.now()).toISOString()} ${line}`)
  }
}
