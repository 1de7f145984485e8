// Waiting that ends when a signal fires.
import { CancelledError } from './errors.ts'

/** Settles as `work` does, or rejects with `CancelledError` as soon as the signal fires. `work` itself continues. */
export function cancellable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(new CancelledError(signal.reason))
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}

/**
 * Calls `begin` with a function `done`. Resolves when `done` is called. Rejects with `CancelledError` if the signal fires first. Calls the
 * function that `begin` returns in both cases.
 */
export function cancellableWait(signal: AbortSignal, begin: (done: () => void) => () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(new CancelledError(signal.reason))
    const stop = (): void => {
      signal.removeEventListener('abort', stop)
      cleanUp()
      if (signal.aborted) reject(new CancelledError(signal.reason))
      else resolve()
    }
    const cleanUp = begin(stop)
    signal.addEventListener('abort', stop, { once: true })
  })
}
