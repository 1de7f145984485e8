// The clock of a server of the library, and the seed of its ids.
import { programClock } from '../lib/clock.ts'
import { seededRandom } from '../lib/random.ts'
import { Activity } from './activity.ts'
import type { StartOrder } from '../server/server.ts'
import { clockRoutes } from './clock-routes.ts'
import { type Clock, VirtualClock } from './virtual-clock.ts'

export interface TimeOptions {
  /**
   * `virtual`: the server's time begins at 2026-01-01T00:00:00Z and only `server.clock.advance()` moves it. All parts of the API use this
   * time, and so do the clients of `server.client()`. The validity of certificates and the time limits of requests do not. Absent: the
   * system's clock, or the clock of the server whose state this server starts from.
   */
  readonly clock?: 'system' | 'virtual'
  /**
   * Any text. Uids, generated names, addresses of services and audit ids follow from it, and each request begins when the effects of the
   * earlier requests are complete. With the same seed and port, and a virtual clock, the same sequence of requests gets the same bytes,
   * except for texts that are made with keys. Absent: these values are unpredictable.
   */
  readonly seed?: string
}

/** The first moment of virtual time. */
const BEGIN_MS = Date.UTC(2026, 0, 1)
/** The time that the server itself needs to come to rest after a start. A missing part is tried again within this time. */
const START_MS = 10_000

export interface ServerTime {
  readonly clock: Clock
  readonly order: Pick<StartOrder, 'clock' | 'seed' | 'activity' | 'devRoutes'>
  /** Call this when the server is ready. */
  begin(): Promise<void>
  /** The time and the ids for a server that continues this one. Its new ids differ from those of this server. */
  taken(): TakenTime
}

/** The time of a server at a moment. */
export interface TakenTime {
  readonly clock: 'system' | 'virtual'
  readonly seed: string | undefined
  readonly nowMs: number
}

/**
 * `from`: the time of the server whose state this server starts from. Throws if the options ask for another clock. `isRepeatable`: all
 * waits use the virtual clock. This needs a virtual clock and a seed.
 */
export function openTime(options: TimeOptions, from?: TakenTime, isRepeatable = false): ServerTime {
  const { clock = from?.clock ?? 'system', seed = from?.seed } = options
  if (from !== undefined && clock !== from.clock) {
    throw new Error(`a server continues with the clock of its snapshot, which is ${from.clock}: leave out \`clock\``)
  }
  const seeded = seed === undefined ? {} : { seed }
  const activity = new Activity()
  let followers = 0
  const taken = (nowMs: number): TakenTime => {
    followers += 1
    return { clock, seed: seed === undefined ? undefined : `${seed}/${followers}`, nowMs }
  }
  if (clock === 'system') {
    return {
      clock: SYSTEM_CLOCK,
      order: seed === undefined ? {} : { seed, activity },
      begin: () => Promise.resolve(),
      taken: () => taken(SYSTEM_CLOCK.now()),
    }
  }
  const chance = isRepeatable && seed !== undefined ? chanceOf(seed) : undefined
  const virtual = new VirtualClock(from?.nowMs ?? BEGIN_MS - START_MS, () => activity.settled(), chance)
  return {
    clock: virtual,
    order: { clock: virtual, activity, devRoutes: clockRoutes(virtual), ...seeded },
    begin: () => (from === undefined ? virtual.advance(START_MS) : Promise.resolve()),
    taken: () => taken(virtual.now()),
  }
}

function chanceOf(seed: string): () => number {
  const random = seededRandom(seed, 'waits')
  return () => random.below(2 ** 32) / 2 ** 32
}

const SYSTEM_CLOCK: Clock = {
  ...programClock,
  advance: () =>
    Promise.reject(
      new Error("the system's time cannot be advanced; start the server with startServer({ clock: 'virtual' })"),
    ),
}
