// Waits that reject with the signal's own reason, as functions of Node and the web do. The clock may be a test's: when the test moves it,
// the clock waits for the work that follows.
import { cancellable, cancellableWait } from '../lib/cancellable.ts'
import { type Clock, programClock } from '../lib/clock.ts'

/** A signal that never fires, for calls without one. */
export const NEVER: AbortSignal = new AbortController().signal

/** A clock that is moved waits no longer than this for the work that follows. That work may wait for something else. */
const PATIENCE_MS = 1000

/**
 * Waits by the system's clock or by the given one, whichever is first: a server may be back before a test moves the time. In a simulated
 * run that can be repeated (`chance`), only the given clock counts.
 */
export function waitToRetry(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  return settledBy(signal, (done) => {
    const calledOff = [...new Set(clock.chance === undefined ? [programClock, clock] : [clock])].map((one) =>
      one.callAfter(milliseconds, done),
    )
    return () => calledOff.forEach((callOff) => callOff())
  })
}

/** Work in steps with waits between them. A clock that is moved waits for the step that is then due. */
export class Steps {
  readonly #clock: Clock
  #stepDone: () => void = () => {}

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Resolves when the next step is due. Rejects with the signal's reason when the signal fires. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    this.end()
    return settledBy(signal, (done) => this.#clock.callAfter(milliseconds, () => this.#begin(done)))
  }

  /** Ends the current step. Call this if no wait follows. */
  end(): void {
    this.#stepDone()
  }

  #begin(step: () => void): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#stepDone = resolve
    step()
    return patiently(promise)
  }
}

/** Resolves when the work has succeeded or failed, or takes too long. */
export async function patiently(work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const callOff = programClock.callAfter(PATIENCE_MS, resolve)
  work.then(
    () => resolve(),
    () => resolve(),
  )
  await promise
  callOff()
}

/** A time limit and a signal. */
export interface TimeLimit {
  readonly clock: Clock
  /** `Infinity`: no limit. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** The error when the time is over. */
  readonly late: () => Error
}

/** Runs `work` with a signal that fires with the caller's signal or when the time is over. Rejects with the reason of a fired signal. */
export async function within<T>(limit: TimeLimit, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { clock, timeoutMs, signal, late } = limit
  signal.throwIfAborted()
  const over = new AbortController()
  const cancel = (): void => over.abort(signal.reason)
  const callOff = timeoutMs === Infinity ? undefined : clock.callAfter(timeoutMs, () => over.abort(late()))
  signal.addEventListener('abort', cancel, { once: true })
  try {
    return await work(over.signal)
  } catch (error) {
    if (over.signal.aborted) throw over.signal.reason
    throw error
  } finally {
    callOff?.()
    signal.removeEventListener('abort', cancel)
  }
}

/** Settles as `work` does, or rejects with the signal's reason as soon as it fires. */
export async function settled<T>(work: Promise<T>, signal: AbortSignal = NEVER): Promise<T> {
  try {
    return await cancellable(work, signal)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw error
  }
}

async function settledBy(signal: AbortSignal, begin: (done: () => void) => () => void): Promise<void> {
  try {
    await cancellableWait(signal, begin)
  } catch {
    throw signal.reason
  }
}
