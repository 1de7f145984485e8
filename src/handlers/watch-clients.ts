// Counts how often the clients of watches came back in the last minutes, and finds clients that start over again and again. A client is a
// user with an agent and a resource, so there are few clients. A client that has had no watch for these minutes is forgotten.
import type { GroupResource } from '../api/object.ts'

/** The period of the counts. */
const MINUTES = 5
const MINUTE_MS = 60_000
/** The largest number of clients without a watch that are remembered. */
const MOST_AWAY = 1000
/** A client with this many relists is in a loop: a healthy client lists once. */
const LOOP_RELISTS = 5

export interface ClientName extends GroupResource {
  readonly user: string
  readonly agent: string
}

export class WatchClient {
  readonly name: ClientName
  readonly reconnects = new RecentCount()
  readonly relists = new RecentCount()
  openWatches = 0
  awaySince = 0
  /** The number of watches that ended and were not begun again. */
  #ended = 0
  #isLooping = false

  constructor({ user, agent, group, resource }: ClientName) {
    this.name = { user, agent, group, resource }
  }

  began(now: number): void {
    this.openWatches++
    if (this.#ended === 0) return
    this.#ended--
    this.reconnects.add(now)
  }

  ended(now: number): void {
    this.openWatches--
    this.#ended++
    this.awaySince = now
  }

  /** Whether the client starts over. A list beside a running watch is not a new start. */
  listed(now: number): 'first' | 'relist' | 'loopBegins' | 'loop' {
    if (this.#ended === 0) return 'first'
    this.relists.add(now)
    const wasLooping = this.#isLooping
    this.#isLooping = this.relists.recent(now) >= LOOP_RELISTS
    if (!this.#isLooping) return 'relist'
    return wasLooping ? 'loop' : 'loopBegins'
  }
}

export class WatchClients {
  readonly #clients = new Map<string, WatchClient>()
  /** The clients without a watch, in the order in which they left. */
  readonly #away = new Map<string, WatchClient>()

  /** Undefined: the client has not watched the resource lately. */
  find(name: ClientName, now: number): WatchClient | undefined {
    this.#forgetOld(now)
    return this.#clients.get(keyOf(name))
  }

  /** Finds or adds a client that is about to watch. */
  of(name: ClientName, now: number): WatchClient {
    const client = this.find(name, now) ?? new WatchClient(name)
    const key = keyOf(name)
    this.#clients.set(key, client)
    this.#away.delete(key)
    return client
  }

  /** Call this when a watch of the client has ended. */
  ended(client: WatchClient, now: number): void {
    client.ended(now)
    if (client.openWatches > 0) return
    this.#away.set(keyOf(client.name), client)
    const [oldest] = this.#away.keys()
    if (this.#away.size > MOST_AWAY && oldest !== undefined) this.#forget(oldest)
  }

  #forgetOld(now: number): void {
    for (const [key, { awaySince }] of this.#away) {
      if (now - awaySince <= MINUTES * MINUTE_MS) return
      this.#forget(key)
    }
  }

  #forget(key: string): void {
    this.#away.delete(key)
    this.#clients.delete(key)
  }
}

function keyOf({ user, agent, group, resource }: ClientName): string {
  return [user, agent, group, resource].join('\0')
}

/** Counts the events in the last minutes, to the minute. */
class RecentCount {
  readonly #counts = Array.from({ length: MINUTES }, () => 0)
  #minute = 0

  add(now: number): void {
    this.#turn(now)
    this.#counts[this.#minute % MINUTES]!++
  }

  recent(now: number): number {
    this.#turn(now)
    return this.#counts.reduce((sum, count) => sum + count, 0)
  }

  #turn(now: number): void {
    const minute = Math.floor(now / MINUTE_MS)
    const first = Math.max(this.#minute + 1, minute - MINUTES + 1)
    for (let passed = first; passed <= minute; passed++) this.#counts[passed % MINUTES] = 0
    this.#minute = minute
  }
}
