// Places for answers with many keys. Only a few such answers are read and sent at a time, so that little is in memory. The connections take
// turns. If a client reads slowly, its answer gives its place to the next one. The slow answer continues, unless all slow answers together
// are too large.
import type { Clock } from '../../lib/clock.ts'
import { CancelledError } from '../../lib/errors.ts'
import { failure } from './rpc-failure.ts'

/** The number of places. */
const MOST = 4
/** An answer gives up its place after it has waited this long for its client. */
const PATIENCE_MS = 2000
/** The largest number of bytes of all answers without a place. */
const MOST_SLOW_BYTES = 256 * 1024 * 1024

export class AnswerPlaces {
  readonly #waiting = new Map<object, Set<() => void>>()
  readonly #clock: Clock
  #taken = 0
  #slowBytes = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Resolves when a place is free. Throws `CancelledError`. */
  async take(connection: object, signal: AbortSignal): Promise<AnswerPlace> {
    if (this.#taken < MOST) this.#taken++
    else await this.#turn(connection, signal)
    return new AnswerPlace(this, this.#clock)
  }

  /** For `AnswerPlace`: gives a place to the next call. */
  leave(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#taken--
      return
    }
    const [connection, calls] = next
    const [go] = calls
    // Other connections come before the next call of this connection.
    this.#waiting.delete(connection)
    calls.delete(go!)
    if (calls.size > 0) this.#waiting.set(connection, calls)
    go!()
  }

  /** For `AnswerPlace`: changes the number of bytes that slow clients have not read. Throws if there are too many. */
  changeSlow(bytes: number): void {
    this.#slowBytes += bytes
    if (bytes > 0 && this.#slowBytes > MOST_SLOW_BYTES) throw failure('tooManyRequests')
  }

  async #turn(connection: object, signal: AbortSignal): Promise<void> {
    const calls = this.#waiting.get(connection) ?? new Set()
    this.#waiting.set(connection, calls)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const giveUp = (): void => {
      calls.delete(resolve)
      if (calls.size === 0 && this.#waiting.get(connection) === calls) this.#waiting.delete(connection)
      reject(new CancelledError(signal.reason))
    }
    calls.add(resolve)
    signal.addEventListener('abort', giveUp, { once: true })
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', giveUp)
    }
  }
}

export class AnswerPlace implements Disposable {
  readonly #places: AnswerPlaces
  readonly #clock: Clock
  #patienceMs = PATIENCE_MS
  #slowBytes = 0
  #isLeft = false

  constructor(places: AnswerPlaces, clock: Clock) {
    this.#places = places
    this.#clock = clock
  }

  /** Waits for the client. `bytes`: the bytes that are left to send. Throws `RpcFailure` if slow clients have too many unread bytes. */
  async during(taken: Promise<void>, bytes: number): Promise<void> {
    if (this.#isLeft) this.#count(bytes)
    const began = this.#clock.now()
    const callOff = this.#isLeft ? undefined : this.#clock.callAfter(this.#patienceMs, () => this.#leave())
    await taken
    callOff?.()
    this.#patienceMs -= this.#clock.now() - began
  }

  [Symbol.dispose](): void {
    this.#count(0)
    if (!this.#isLeft) this.#leave()
  }

  #count(bytes: number): void {
    const change = bytes - this.#slowBytes
    this.#slowBytes = bytes
    this.#places.changeSlow(change)
  }

  #leave(): void {
    this.#isLeft = true
    this.#places.leave()
  }
}
