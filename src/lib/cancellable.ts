// Leaving something that goes on without us.
import { CancelledError } from './errors.ts'

/** As `work` ends, or with `CancelledError` as soon as the signal fires; what `work` comes to after that is of no interest. */
export function cancellable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(new CancelledError(signal.reason))
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}
