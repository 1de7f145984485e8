// Waits by an injected clock.
import type { Clock } from './clock.ts'

/** Resolves to true after the whole time, and to false as soon as the signal fires. */
export function pause(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false)
  return new Promise((resolve) => {
    const cancel = clock.callAfter(milliseconds, () => {
      signal.removeEventListener('abort', onAbort)
      resolve(true)
    })
    const onAbort = (): void => {
      cancel()
      resolve(false)
    }
    signal.addEventListener('abort', onAbort, { once: true })
  })
}
