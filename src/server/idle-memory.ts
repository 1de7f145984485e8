// Gives back what starting took. V8 lets its young generation grow to more than 30 MB while everything is loaded and
// keeps it, and the code that only a start needs; an idle server would hold a quarter more memory than it needs.
import { setTimeout as sleep } from 'node:timers/promises'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const LOOK_EVERY_MS = 1000
/** Code that did not run between so many collections is dropped. */
const CODE_IS_OLD = 8
/** Each collection stops everything, for a tenth of a second where there is much: between two, whoever came is served. */
const BETWEEN_COLLECTIONS_MS = 200
/** Watches that are opened or told of something are no new requests; a server that does nothing has less than a hundredth. */
const MOST_UTILIZATION = 0.1
/** A collection takes a millisecond a megabyte, and what a start took is little beside so much. */
const MOST_HEAP_BYTES = 96 * 1024 * 1024

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void

/**
 * In the first while in which nobody asks for anything and nothing is under way, unless there is much by then;
 * `requestCount` only ever grows. Resolves then, or when the signal fires.
 */
export async function giveBackMemory(requestCount: () => number, signal: AbortSignal): Promise<void> {
  const untilQuietFor = async (milliseconds: number): Promise<void> => {
    for (let isQuiet = false; !isQuiet; ) {
      const [seen, before] = [requestCount(), performance.eventLoopUtilization()]
      await sleep(milliseconds, undefined, { signal, ref: false })
      const { utilization } = performance.eventLoopUtilization(before)
      isQuiet = seen === requestCount() && utilization < MOST_UTILIZATION
    }
  }
  try {
    await untilQuietFor(LOOK_EVERY_MS)
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as Collect
    setFlagsFromString('--no-expose-gc')
    for (let age = 0; age < CODE_IS_OLD && getHeapStatistics().used_heap_size < MOST_HEAP_BYTES; age++) {
      collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
      await untilQuietFor(BETWEEN_COLLECTIONS_MS)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
