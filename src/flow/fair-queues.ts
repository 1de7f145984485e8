// The queues of a priority level. Each active queue gets an equal share of the seats over time. The next request of a queue is due at a
// virtual time, which advances by the work that is done for the queue. The request with the earliest virtual end runs first.
import { InvariantError } from '../lib/errors.ts'
import { dealHand } from './shuffle-shard.ts'
import type { Queuing } from './flow-objects.ts'

/** The part of a request that a queue reads. */
export interface Queued {
  /** The largest number of seats that the request takes at any time. */
  readonly mostSeats: number
  /** In seats times seconds. */
  readonly estimatedWork: number
}

const MOST_HANDS = 4096

export class Queue<Q extends Queued> {
  readonly waiting = new Set<Q>()
  seatsWaiting = 0
  seatsInUse = 0
  running = 0
  /** The virtual time at which the next request is due. */
  due = 0

  get isActive(): boolean {
    return this.running > 0 || this.waiting.size > 0
  }
}

export class FairQueues<Q extends Queued> {
  readonly queuing: Queuing
  #all: readonly Queue<Q>[] | undefined
  readonly #hands = new Map<number, readonly Queue<Q>[]>()
  waiting = 0
  seatsWaiting = 0
  #active = 0
  #virtual = 0
  #lookedAt: number
  /** The queue that was served last. The search begins after it, so that equal queues take turns. */
  #last = 0

  constructor(queuing: Queuing, nowMs: number) {
    this.queuing = queuing
    this.#lookedAt = nowMs
  }

  /** The queues are made for the first request of the level. */
  get all(): readonly Queue<Q>[] {
    return (this.#all ??= Array.from({ length: this.queuing.queues }, () => new Queue<Q>()))
  }

  /** Returns the queue with the least load of those that were dealt to the flow. */
  choose(hash: number): Queue<Q> {
    const hand = this.#handOf(hash)
    let best = hand[0]!
    for (let i = 1; i < hand.length; i++) if (loadOf(hand[i]!) < loadOf(best)) best = hand[i]!
    return best
  }

  /**
   * The queues that were dealt to a flow. They are remembered, because dealing costs more than the rest of a dispatch, and most requests
   * belong to few flows.
   */
  #handOf(hash: number): readonly Queue<Q>[] {
    const known = this.#hands.get(hash)
    if (known !== undefined) return known
    if (this.#hands.size >= MOST_HANDS) this.#hands.clear()
    const hand = dealHand(hash, this.queuing).map((index) => this.all[index]!)
    this.#hands.set(hash, hand)
    return hand
  }

  /** Advances the virtual time, which runs as fast as one queue is served. */
  advance(nowMs: number, seats: { readonly inUse: number; readonly limit: number }): void {
    const passed = (nowMs - this.#lookedAt) / 1000
    this.#lookedAt = nowMs
    if (this.#active > 0)
      this.#virtual += (passed * Math.min(seats.inUse + this.seatsWaiting, seats.limit)) / this.#active
  }

  add(queue: Queue<Q>, request: Q): void {
    this.#wake(queue)
    queue.waiting.add(request)
    queue.seatsWaiting += request.mostSeats
    this.waiting++
    this.seatsWaiting += request.mostSeats
  }

  /** False: the request is no longer queued. */
  remove(queue: Queue<Q>, request: Q): boolean {
    if (!queue.waiting.delete(request)) return false
    queue.seatsWaiting -= request.mostSeats
    this.waiting--
    this.seatsWaiting -= request.mostSeats
    if (!queue.isActive) this.#active--
    return true
  }

  /** Returns the request to run next, which stays in its queue. */
  next(): { readonly queue: Queue<Q>; readonly request: Q } | undefined {
    let found: { queue: Queue<Q>; request: Q } | undefined
    let earliest = Number.POSITIVE_INFINITY
    let at = this.#last
    const { all } = this
    for (let i = 0; i < all.length; i++) {
      const index = (this.#last + 1 + i) % all.length
      const queue = all[index]!
      if (queue.waiting.size === 0) continue
      const request = oldestOf(queue)
      const end = queue.due + request.estimatedWork
      if (end >= earliest) continue
      earliest = end
      at = index
      found = { queue, request }
    }
    this.#last = at
    return found
  }

  begin(queue: Queue<Q>, request: Q): void {
    this.#wake(queue)
    queue.running++
    queue.seatsInUse += request.mostSeats
    queue.due += request.estimatedWork
  }

  /** `work`: the actual work, in seats times seconds. */
  end(queue: Queue<Q>, request: Q, work: number): void {
    queue.running--
    queue.seatsInUse -= request.mostSeats
    queue.due += work - request.estimatedWork
    if (!queue.isActive) this.#active--
  }

  /** Makes a queue active. It gets no share for the time in which it was idle. */
  #wake(queue: Queue<Q>): void {
    if (queue.isActive) return
    this.#active++
    if (queue.due < this.#virtual) queue.due = this.#virtual
  }
}

function loadOf(queue: { readonly seatsWaiting: number; readonly seatsInUse: number }): number {
  return queue.seatsWaiting + queue.seatsInUse
}

function oldestOf<Q extends Queued>(queue: Queue<Q>): Q {
  for (const request of queue.waiting) return request
  throw new InvariantError('the queue is empty')
}
