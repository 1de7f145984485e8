// Gives back what starting took. V8 lets its young generation grow to more than 30 MB while everything is loaded and
// keeps it, and the code that only a start needs; an idle server would hold a quarter more memory than it needs.
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const LOOK_EVERY_MS = 1000
/** Code that did not run between so many collections is dropped. */
const CODE_IS_OLD = 8

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void

/** Once, in the first second without a request; `requestCount` only ever grows. Resolves then, or when the signal fires. */
export async function giveBackMemory(requestCount: () => number, signal: AbortSignal): Promise<void> {
  for (let seen = -1; seen !== requestCount(); ) {
    seen = requestCount()
    try {
      await sleep(LOOK_EVERY_MS, undefined, { signal, ref: false })
    } catch {
      return
    }
  }
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as Collect
  setFlagsFromString('--no-expose-gc')
  for (let age = 0; age < CODE_IS_OLD; age++) collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
