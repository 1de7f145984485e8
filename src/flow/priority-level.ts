// One priority level: its seats, the requests that hold them, and those that wait. A request that finds free seats takes them in the same
// turn. Otherwise it waits until it is the next request to run and enough seats are free.
import type { Clock } from '../lib/clock.ts'
import { CancelledError } from '../lib/errors.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { Turns } from '../lib/turns.ts'
import { Demand } from './demand.ts'
import { DroppedRequests } from './dropped-requests.ts'
import { FairQueues, type Queue } from './fair-queues.ts'
import type { Entry } from './flow.ts'
import type { LevelSpec } from './flow-objects.ts'
import type { RejectReason } from './measures.ts'
import type { NominalSeats } from './seat-limits.ts'
import type { Ticket } from './ticket.ts'

export interface Waiting {
  readonly waitMs: number
  readonly signal: AbortSignal
}

export class PriorityLevel {
  spec: LevelSpec
  bounds: NominalSeats = { nominal: 0, lower: 0, upper: 0 }
  /** The current number of seats. An exempt level ignores it. */
  limit = 0
  seatsInUse = 0
  running = 0
  dispatched = 0
  rejected = 0
  timedOut = 0
  smoothedDemand = 0
  queues: FairQueues<Ticket> | undefined
  readonly demand: Demand
  readonly #clock: Clock
  readonly #dropped = new DroppedRequests()
  readonly #turns = new Turns()

  constructor(spec: LevelSpec, clock: Clock) {
    this.#clock = clock
    this.spec = spec
    this.demand = new Demand(clock.now())
    this.queues = spec.queuing === undefined ? undefined : new FairQueues(spec.queuing, clock.now())
  }

  /**
   * Changes the configuration. Waiting requests move to the new queues, one old queue after the other. Running requests end in the queues
   * in which they began.
   */
  reconfigure(spec: LevelSpec): void {
    const before = this.queues
    this.spec = spec
    const { queuing } = spec
    if (queuing === undefined) {
      // Queued requests keep waiting. New requests are not queued.
      if (before?.waiting === 0) this.queues = undefined
      return
    }
    if (before !== undefined && sameQueuing(before.queuing, queuing)) return
    this.queues = new FairQueues(queuing, this.#clock.now())
    for (const queue of before?.all ?? []) {
      for (const ticket of queue.waiting) {
        before?.remove(queue, ticket)
        this.#enqueue(ticket, this.queues)
      }
    }
    this.#dispatch(this.#clock.now())
  }

  setLimit(limit: number): void {
    this.limit = limit
    this.#dispatch(this.#clock.now())
  }

  enter(ticket: Ticket, waiting: Waiting): MaybePromise<Entry> {
    const nowMs = ticket.cameAt
    const { queues } = this
    if (this.spec.isExempt) return this.#begin(ticket, nowMs)
    if (queues === undefined || this.spec.queuing === undefined) {
      return this.#hasRoom(ticket) ? this.#begin(ticket, nowMs) : this.#reject(ticket, 'concurrency-limit', nowMs)
    }
    const queue = queues.choose(ticket.hash())
    if (queues.waiting === 0 && this.#hasRoom(ticket)) {
      queues.advance(nowMs, { inUse: this.seatsInUse, limit: this.limit })
      ticket.queue = queue
      ticket.queues = queues
      return this.#begin(ticket, nowMs)
    }
    if (queue.waiting.size >= queues.queuing.queueLengthLimit) return this.#reject(ticket, 'queue-full', nowMs)
    return this.#wait(ticket, queue, waiting)
  }

  /** Ends a request. Its seats may be held longer, for the cost of notifying watchers. */
  end(ticket: Ticket): void {
    const nowMs = this.#clock.now()
    const seconds = (nowMs - ticket.beganAt) / 1000
    const { seatsAfter, afterMs } = ticket.work
    ticket.measures.executing.value--
    ;(ticket.isWatch ? ticket.measures.watching : ticket.measures.regular).observe(seconds)
    this.running--
    if (seatsAfter === 0) return this.#free(ticket, { seats: ticket.mostSeats, seconds }, nowMs)
    this.#leave(ticket, ticket.mostSeats - seatsAfter, nowMs)
    this.#clock.callAfter(afterMs, () =>
      this.#free(ticket, { seats: seatsAfter, seconds: seconds + afterMs / 1000 }, this.#clock.now()),
    )
  }

  #free(ticket: Ticket, held: { readonly seats: number; readonly seconds: number }, nowMs: number): void {
    const { queue, queues } = ticket
    if (queue !== undefined && queues !== undefined) {
      queues.advance(nowMs, { inUse: this.seatsInUse, limit: this.limit })
      queues.end(queue, ticket, held.seconds * ticket.mostSeats)
    }
    this.#leave(ticket, held.seats, nowMs)
  }

  #leave(ticket: Ticket, seats: number, nowMs: number): void {
    this.seatsInUse -= seats
    ticket.measures.executingSeats.value -= seats
    this.#noteDemand(nowMs)
    this.#dispatch(nowMs)
  }

  #dispatch(nowMs: number): void {
    const { queues } = this
    if (queues === undefined || queues.waiting === 0) return
    queues.advance(nowMs, { inUse: this.seatsInUse, limit: this.limit })
    for (let next = queues.next(); next !== undefined; next = queues.next()) {
      const { queue, request: ticket } = next
      // A request that needs many seats is not overtaken: otherwise it could wait for ever.
      if (!this.#hasRoom(ticket)) return
      queues.remove(queue, ticket)
      ticket.measures.inQueue.value--
      ticket.waiting.value--
      this.#begin(ticket, nowMs)
      ticket.go?.()
    }
  }

  /** Whether a request can run now. A request that needs more seats than the level has runs alone. */
  #hasRoom({ mostSeats }: Ticket): boolean {
    return this.seatsInUse + mostSeats <= this.limit || (mostSeats > this.limit && this.running === 0)
  }

  #begin(ticket: Ticket, nowMs: number): Ticket {
    const { queue, queues, measures, mostSeats } = ticket
    if (queue !== undefined) queues?.begin(queue, ticket)
    ticket.begin(nowMs)
    this.running++
    this.dispatched++
    this.seatsInUse += mostSeats
    measures.dispatched.value++
    measures.executing.value++
    measures.executingSeats.value += mostSeats
    measures.seats.observe(mostSeats)
    measures.waited.observe((nowMs - ticket.cameAt) / 1000)
    this.#noteDemand(nowMs)
    return ticket
  }

  #wait(ticket: Ticket, queue: Queue<Ticket>, { waitMs, signal }: Waiting): Promise<Entry> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new CancelledError(signal.reason))
      const stop = (): void => {
        cancelTimer()
        signal.removeEventListener('abort', giveUp)
      }
      const leaveQueue = (): boolean => {
        stop()
        const { queues, queue: place } = ticket
        if (place === undefined || queues?.remove(place, ticket) !== true) return false
        ticket.measures.inQueue.value--
        ticket.waiting.value--
        this.#noteDemand(this.#clock.now())
        this.timedOut++
        return true
      }
      const giveUp = (): void => {
        if (!leaveQueue()) return
        ticket.reject('time-out', this.#clock.now())
        reject(new CancelledError(signal.reason))
        this.#dispatch(this.#clock.now())
      }
      const cancelTimer = this.#clock.callAfter(waitMs, () => {
        if (!leaveQueue()) return
        resolve(this.#reject(ticket, 'time-out', this.#clock.now()))
        this.#dispatch(this.#clock.now())
      })
      signal.addEventListener('abort', giveUp, { once: true })
      ticket.go = () => {
        stop()
        // The end of a request may start the next request, whose end starts another. Without this wait, all waiting requests could run in
        // one turn of the event loop.
        resolve(this.#turns.isOver ? this.#turns.next().then(() => ticket) : ticket)
      }
      const queues = this.queues!
      queues.advance(this.#clock.now(), { inUse: this.seatsInUse, limit: this.limit })
      ticket.queue = queue
      ticket.queues = queues
      queues.add(queue, ticket)
      ticket.measures.inQueue.value++
      ticket.waiting.value++
      this.#noteDemand(this.#clock.now())
      this.#dispatch(this.#clock.now())
    })
  }

  #enqueue(ticket: Ticket, queues: FairQueues<Ticket>): void {
    const queue = queues.choose(ticket.hash())
    ticket.queue = queue
    ticket.queues = queues
    queues.add(queue, ticket)
  }

  #reject(ticket: Ticket, reason: RejectReason, nowMs: number): Entry {
    this.rejected++
    ticket.reject(reason, nowMs)
    return { kind: 'rejected', headers: ticket.headers, retryAfterSeconds: this.#dropped.add(nowMs) }
  }

  #noteDemand(nowMs: number): void {
    this.demand.set(this.seatsInUse + (this.queues?.seatsWaiting ?? 0), nowMs)
  }
}

function sameQueuing(a: LevelSpec['queuing'], b: LevelSpec['queuing']): boolean {
  return a?.queues === b?.queues && a?.handSize === b?.handSize && a?.queueLengthLimit === b?.queueLengthLimit
}
