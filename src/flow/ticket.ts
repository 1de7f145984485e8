// A request on its way through a priority level: its seats, its queue, and the series of metrics that count it.
import type { Count } from '../lib/measure.ts'
import type { Admitted, FlowHeaders } from './flow.ts'
import type { FairQueues, Queue, Queued } from './fair-queues.ts'
import type { RejectReason, SchemaMeasures } from './measures.ts'
import { flowHash } from './shuffle-shard.ts'
import type { Work } from './work-estimate.ts'

/** The assumed duration of a request that has not run yet, in seconds. Only the order of the estimates matters. */
const TYPICAL_SECONDS = 0.003

/** The part of a flow schema that a ticket needs. */
export interface TicketSchema {
  readonly name: string
  readonly headers: FlowHeaders
  readonly measures: SchemaMeasures
  readonly reject: (reason: RejectReason, waitedMs: number) => void
}

export interface TicketOptions {
  readonly schema: TicketSchema
  /** The flow distinguisher. */
  readonly flow: string
  readonly work: Work
  readonly isWatch: boolean
  /** The gauge of waiting reads or of waiting writes. */
  readonly waiting: Count
  readonly nowMs: number
  /** Gives the seats back. */
  readonly end: (ticket: Ticket) => void
}

export class Ticket implements Admitted, Queued {
  readonly kind = 'admitted'
  readonly flow: string
  readonly work: Work
  readonly mostSeats: number
  readonly isWatch: boolean
  readonly waiting: Count
  readonly cameAt: number
  beganAt = 0
  queue: Queue<Ticket> | undefined
  queues: FairQueues<Ticket> | undefined
  /** Called when the request may run after a wait. */
  go: (() => void) | undefined
  readonly #schema: TicketSchema
  readonly #end: (ticket: Ticket) => void
  #state: 'waiting' | 'running' | 'over' = 'waiting'

  constructor({ schema, flow, work, isWatch, waiting, nowMs, end }: TicketOptions) {
    this.#schema = schema
    this.#end = end
    this.flow = flow
    this.work = work
    this.mostSeats = Math.max(work.seats, work.seatsAfter)
    this.isWatch = isWatch
    this.waiting = waiting
    this.cameAt = nowMs
  }

  get schemaName(): string {
    return this.#schema.name
  }

  get headers(): FlowHeaders {
    return this.#schema.headers
  }

  get measures(): SchemaMeasures {
    return this.#schema.measures
  }

  get estimatedWork(): number {
    const { seats, seatsAfter, afterMs } = this.work
    return seats * TYPICAL_SECONDS + (seatsAfter * afterMs) / 1000
  }

  hash(): number {
    return flowHash(this.#schema.name, this.flow)
  }

  begin(nowMs: number): void {
    this.#state = 'running'
    this.beganAt = nowMs
  }

  reject(reason: RejectReason, nowMs: number): void {
    this.#state = 'over'
    this.#schema.reject(reason, nowMs - this.cameAt)
  }

  leave(): void {
    if (this.#state !== 'running') return
    this.#state = 'over'
    this.#end(this)
  }
}
