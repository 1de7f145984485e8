// The requests under way: watched for their deadlines, ended when the server stops. One timer serves them all, because a
// timer for each would cost more than looking at them once a second.
import { ServerClosingError } from './abort-reasons.ts'
import { isLongRunning } from './deadline.ts'
import type { Exchange } from './exchange.ts'

const LOOK_EVERY_MS = 1000

export class RunningRequests {
  /** How many there were so far. */
  total = 0
  readonly #running = new Set<Exchange>()
  readonly #timer: NodeJS.Timeout
  #onNone: (() => void) | undefined

  constructor() {
    this.#timer = setInterval(() => this.#expire(), LOOK_EVERY_MS)
    this.#timer.unref()
  }

  add(exchange: Exchange): void {
    this.total++
    this.#running.add(exchange)
    const { deadline } = exchange
    // Who wants an answer sooner than the rest gets a timer after all.
    if (deadline.kind === 'after' && deadline.early) {
      setTimeout(() => exchange.expire(Number.POSITIVE_INFINITY), deadline.milliseconds).unref()
    }
  }

  remove(exchange: Exchange): void {
    this.#running.delete(exchange)
    if (this.#running.size === 0) this.#onNone?.()
  }

  endLongOnes(): void {
    for (const exchange of this.#running) {
      if (isLongRunning(exchange.info)) exchange.abort(new ServerClosingError())
    }
  }

  /** Resolves when none is left, or the time is up: then those that are left are given up. */
  async whenNone(atMostMs: number): Promise<void> {
    if (this.#running.size > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, atMostMs)
        this.#onNone = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    clearInterval(this.#timer)
    for (const exchange of this.#running) exchange.abort(new ServerClosingError())
  }

  #expire(): void {
    const now = performance.now()
    for (const exchange of this.#running) exchange.expire(now)
  }
}
