// One HTTP/1.1 connection. Node reads and writes it; this tracks its memory, how long it has been idle or has left a request
// unfinished, and how many requests are pipelined.
import type { TLSSocket } from 'node:tls'
import type { ConnectionLimits, EndReason } from '../wire/connection-limits.ts'
import { Standstill } from '../wire/standstill.ts'
import type { Holding, UnfinishedMemory } from '../wire/unfinished-memory.ts'

/** The limit of requests that are sent before earlier ones are answered. Hardly any client does that, and none with this many. */
const MOST_PIPELINED = 64

export interface Http1Options {
  readonly memory: UnfinishedMemory
  readonly limits: ConnectionLimits
  readonly onEnd: (reason: EndReason) => void
}

export class Http1Connection {
  readonly socket: TLSSocket
  readonly holding: Holding
  /** The next answer tells the client to open another connection. */
  isDraining = false
  readonly #options: Http1Options
  readonly #idle = new Standstill()
  readonly #unfinished = new Standstill()
  #requests = 0
  /** The number of bytes that had been read when the last request was over. Later bytes belong to the next request. */
  #readBytes = 0
  /** Requests under way. */
  #running = 0
  /** One of them has begun, and is not over. */
  #isAnswering = false
  #isLeaving = false
  /** Begins requests that waited for earlier ones. */
  readonly #waiting: (() => void)[] = []

  constructor(socket: TLSSocket, options: Http1Options) {
    this.socket = socket
    this.#options = options
    this.holding = options.memory.open(() => this.#end('memory'))
    socket.once('close', () => this.holding.close())
  }

  /** A request has arrived. `begin` begins it when the earlier ones are over, because answers go out in that order. */
  take(begin: () => void): void {
    if (!this.takeUpgrade()) return
    if (this.#running === 1) this.#begin(begin)
    else this.#waiting.push(begin)
  }

  /** A request for an upgrade. False: it is not served. */
  takeUpgrade(): boolean {
    this.#requests++
    if (++this.#running > MOST_PIPELINED) this.#end('flood')
    return !this.socket.destroyed
  }

  finish(): void {
    this.#running--
    this.#readBytes = this.socket.bytesRead
    const next = this.#waiting.shift()
    this.#isAnswering = false
    if (this.#isLeaving) this.socket.destroySoon()
    // In the next turn of the event loop: other clients may have sent something too.
    if (next !== undefined) setImmediate(() => this.#begin(next))
  }

  /** Requests that have not begun when the connection ends were not processed: the client may send it elsewhere. */
  #begin(begin: () => void): void {
    if (this.#isLeaving || this.socket.destroyed) return
    this.#isAnswering = true
    begin()
  }

  /** The time without a request; 0 for a connection that is closing anyway. */
  idleMilliseconds(nowMs: number): number {
    if (this.socket.destroyed) return 0
    return this.#idle.millisecondsAt(this.#running === 0 ? this.#requests : undefined, nowMs)
  }

  /** Node checks the idle time too. It checks the time that a request takes to arrive only where its own server listens. */
  checkLimits(nowMs: number): void {
    this.idleMilliseconds(nowMs)
    const isComing = this.#running === 0 && (this.#requests === 0 || this.socket.bytesRead > this.#readBytes)
    const milliseconds = this.#unfinished.millisecondsAt(isComing ? this.#requests : undefined, nowMs)
    if (milliseconds > this.#options.limits.unfinishedMs) this.#end('unfinished')
  }

  closeIdle(reason: EndReason): void {
    this.#end(reason)
  }

  drain(): void {
    this.isDraining = true
  }

  /** Ends when all requests are answered and everything is sent. */
  leave(): void {
    this.isDraining = true
    this.#isLeaving = true
    if (!this.#isAnswering) this.socket.destroySoon()
  }

  #end(reason: EndReason): void {
    if (this.socket.destroyed) return
    this.#options.onEnd(reason)
    this.socket.destroy()
  }
}
