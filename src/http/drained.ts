// Waiting for a client that is slower than we are.
import { CancelledError } from '../lib/errors.ts'
import type { WireResponse } from '../wire/request-response.ts'

/** Resolves when there is room, at once where there is; rejects with `CancelledError` when the signal fires. */
export function drainedOf(raw: WireResponse, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.reject(new CancelledError(signal.reason))
  if (!raw.needsDrain) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      raw.off('drain', go)
      signal.removeEventListener('abort', cancel)
    }
    const go = (): void => {
      stop()
      resolve()
    }
    const cancel = (): void => {
      stop()
      reject(new CancelledError(signal.reason))
    }
    raw.on('drain', go)
    signal.addEventListener('abort', cancel, { once: true })
  })
}
