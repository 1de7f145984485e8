// The open requests. They expire at their deadlines, and end when the server stops. One timer serves all of them: a timer for each would
// cost more than a check once a second.
import { TurnoverMap } from '../lib/turnover-map.ts'
import { ServerClosingError } from './abort-reasons.ts'
import { CHECK_EVERY_MS } from '../wire/connection-limits.ts'
import { isLongRunning } from './deadline.ts'
import type { Exchange } from './exchange.ts'

const TURN_MS = 50
const LEAST_A_TURN = 10

/**
 * A watch that begins after the others were ended gets this time to answer, and then ends too. A load balancer takes longer to notice that
 * no listener is left, and then cuts off the remaining requests.
 */
const LATE_MS = 250

export class RunningRequests {
  total = 0
  readonly #running = new TurnoverMap<Exchange, Exchange>()
  readonly #timer: NodeJS.Timeout
  #endsLongOnes = false
  #onNone: (() => void) | undefined

  /** `stalledMs`: the longest time for which a watch waits for its client to read something. */
  constructor(stalledMs: number) {
    this.#timer = setInterval(() => this.#checkLimits(stalledMs), CHECK_EVERY_MS)
    this.#timer.unref()
  }

  all(): Iterable<Exchange> {
    return this.#running.values()
  }

  add(exchange: Exchange): void {
    this.total++
    this.#running.set(exchange, exchange)
    const { deadline } = exchange
    // A request with a shorter time limit than the others gets a timer of its own.
    if (deadline.kind === 'after' && deadline.early) {
      setTimeout(() => exchange.expire(), deadline.milliseconds).unref()
    }
    if (this.#endsLongOnes && isLongRunning(exchange.info)) setTimeout(() => end(exchange), LATE_MS).unref()
  }

  remove(exchange: Exchange): void {
    this.#running.delete(exchange)
    if (this.#running.size === 0) this.#onNone?.()
  }

  /**
   * Ends the long requests at once, or evenly over `overMs` but at least 200 a second. Later long requests are ended soon after they begin.
   */
  async endLongOnes(overMs: number): Promise<void> {
    this.#endsLongOnes = true
    const long = [...this.#running.values()].filter(({ info }) => isLongRunning(info))
    const turns = Math.min(Math.ceil(overMs / TURN_MS), Math.ceil(long.length / LEAST_A_TURN))
    const most = turns === 0 ? long.length : Math.ceil(long.length / turns)
    for (let at = 0; at < long.length; at += most) {
      if (at > 0) await new Promise((resolve) => setTimeout(resolve, TURN_MS))
      long.slice(at, at + most).forEach(end)
    }
  }

  /** Resolves when no request is left, or when the time is up. Then the remaining requests are ended. */
  async whenNone(atMostMs: number): Promise<void> {
    if (this.#running.size > 0) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, atMostMs)
      this.#onNone = resolve
      await promise
      clearTimeout(timer)
    }
    clearInterval(this.#timer)
    for (const exchange of this.#running.values()) end(exchange)
  }

  #checkLimits(stalledMs: number): void {
    const now = performance.now()
    for (const exchange of this.#running.values()) exchange.checkLimits(now, stalledMs)
  }
}

function end(exchange: Exchange): void {
  exchange.signal.fire(new ServerClosingError())
}
