// Waiting that a signal ends with its own reason, as callers of Node's and the web's functions are used to; and waiting by a clock that
// somebody may move, who then has to know when what follows from it is done.
import { cancellable, cancellableWait } from '../lib/cancellable.ts'
import { type Clock, programClock } from '../lib/clock.ts'

/** A signal that never fires, for those who were given none. */
export const NEVER: AbortSignal = new AbortController().signal

/** Whoever moves the time waits no longer than this for what a program does about it: that may be waiting for something else. */
const PATIENCE_MS = 1000

/**
 * Before something is tried again: as long by the system's clock, or until the clock has been moved as far. A server in the same process may
 * be back before anybody moves its time.
 */
export function waitToRetry(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  return settledBy(signal, (done) => {
    const calledOff = [...new Set([programClock, clock])].map((one) => one.callAfter(milliseconds, done))
    return () => calledOff.forEach((callOff) => callOff())
  })
}

/** Work that is done step by step, with waits between them. Whoever moves the clock waits for the step that is due then. */
export class Steps {
  readonly #clock: Clock
  #stepDone: () => void = () => {}

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Until the next step is due. Rejects with the reason of the signal when that fires. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    this.end()
    return settledBy(signal, (done) => this.#clock.callAfter(milliseconds, () => this.#begin(done)))
  }

  /** There is no next step. */
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

/** Resolves when the work has ended in whatever way, or takes too long. */
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

/** Within which time, and what else ends it. */
export interface TimeLimit {
  readonly clock: Clock
  /** `Infinity`: whenever. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** What it ends with when the time is over. */
  readonly late: () => Error
}

/** Runs `work` with a signal that fires with the caller's and when the time is over; where it has fired, rejects with its reason. */
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

/** Settles as `work` does, or rejects with the reason of the signal as soon as that fires. */
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
