// One HTTP/1.1 connection, which Node reads and writes. This file tracks the memory of the connection, the time without a request or with
// an incomplete request, and the number of pipelined requests.
import type { TLSSocket } from 'node:tls'
import type { ConnectionLimits, EndReason } from '../wire/connection-limits.ts'
import { Standstill } from '../wire/standstill.ts'
import type { Holding, UnfinishedMemory } from '../wire/unfinished-memory.ts'

/**
 * The limit of requests that are sent before earlier ones are answered. Hardly any client pipelines requests, and none pipelines this many.
 */
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
  /** The number of requests under way. */
  #running = 0
  /** A request has begun, and its answer is not over. */
  #isAnswering = false
  #isLeaving = false
  /** Functions that begin the requests that wait for earlier ones. */
  readonly #waiting: (() => void)[] = []

  constructor(socket: TLSSocket, options: Http1Options) {
    this.socket = socket
    this.#options = options
    this.holding = options.memory.open(() => this.#end('memory'))
    socket.once('close', () => this.holding.close())
  }

  /**
   * Takes a request that has arrived. `begin` is called when the earlier requests are over, because answers are sent in the order of the
   * requests.
   */
  take(begin: () => void): void {
    if (!this.takeUpgrade()) return
    if (this.#running === 1) this.#begin(begin)
    else this.#waiting.push(begin)
  }

  /** Counts a request, which may ask for an upgrade. False: the connection is closed, and the request is not served. */
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
    // The next request begins in another turn of the event loop, because other clients may have sent something too.
    if (next !== undefined) setImmediate(() => this.#begin(next))
  }

  /** A request that has not begun when the connection ends is not processed. The client may send it elsewhere. */
  #begin(begin: () => void): void {
    if (this.#isLeaving || this.socket.destroyed) return
    this.#isAnswering = true
    begin()
  }

  /** The time without a request; 0 for a closed connection. */
  idleMilliseconds(nowMs: number): number {
    if (this.socket.destroyed) return 0
    return this.#idle.millisecondsAt(this.#running === 0 ? this.#requests : undefined, nowMs)
  }

  /**
   * Node checks the idle time too. Node checks the time that a request takes to arrive only if its own HTTP server listens, which is not so
   * here.
   */
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

  /** Closes the connection when the running request is answered and its answer is sent. Requests that wait are not begun. */
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
