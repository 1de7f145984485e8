// A clock by which nobody waits: it notes how long each wait would have been, and ends the wait at once.
import { type Clock, systemClock } from '../../src/lib/clock.ts'

export function recordingClock(): { readonly clock: Clock; readonly waited: readonly number[] } {
  const waited: number[] = []
  const callAfter: Clock['callAfter'] = (delayMs, done) => {
    waited.push(delayMs)
    const soon = setImmediate(() => void done())
    return () => clearImmediate(soon)
  }
  return { clock: { ...systemClock, callAfter }, waited }
}
