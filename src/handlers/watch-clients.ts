// How often the clients of watches came back in the last minutes, and whether one begins anew again and again. A client is a user
// with an agent, by resource; they are few, and forgotten when they have been away for as long.
import type { GroupResource } from '../api/object.ts'

/** As long as this is looked back. */
const MINUTES = 5
const MINUTE_MS = 60_000
/** The one that was seen last is forgotten last. */
const MOST_CLIENTS = 1000
/** So many relists are a loop: a client that is well lists once. */
const LOOP_RELISTS = 5

export interface ClientName extends GroupResource {
  readonly user: string
  readonly agent: string
}

export class WatchClient {
  readonly name: ClientName
  readonly reconnects = new RecentCount()
  readonly relists = new RecentCount()
  seenAt: number
  /** Watches that ended and were not begun again. */
  #ended = 0
  #isLooping = false

  constructor(name: ClientName, now: number) {
    this.name = name
    this.seenAt = now
  }

  began(now: number): void {
    this.seenAt = now
    if (this.#ended === 0) return
    this.#ended--
    this.reconnects.add(now)
  }

  ended(now: number): void {
    this.seenAt = now
    this.#ended++
  }

  /** Tells what that means; a list beside a watch that goes on is none that begins anew. */
  listed(now: number): 'first' | 'relist' | 'loopBegins' | 'loop' {
    this.seenAt = now
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

  get size(): number {
    return this.#clients.size
  }

  /** Undefined: it has not watched this lately. */
  find(name: ClientName): WatchClient | undefined {
    return this.#clients.get(keyOf(name))
  }

  of(name: ClientName, now: number): WatchClient {
    const key = keyOf(name)
    const client = this.#clients.get(key) ?? new WatchClient(name, now)
    // Behind all others again: the first in a map is the one that was put there first.
    this.#clients.delete(key)
    this.#clients.set(key, client)
    const [oldest] = this.#clients.keys()
    if (this.#clients.size > MOST_CLIENTS && oldest !== undefined) this.#clients.delete(oldest)
    return client
  }

  forgetOld(now: number): void {
    for (const [key, { seenAt }] of this.#clients) if (now - seenAt > MINUTES * MINUTE_MS) this.#clients.delete(key)
  }
}

function keyOf({ user, agent, group, resource }: ClientName): string {
  return [user, agent, group, resource].join('\0')
}

/** How often something happened in the last minutes, to a minute. */
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
