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

/** What is asked of Node: tests have their own. */
export interface Heap {
  /** Waits so long and resolves with the part of it that the event loop was busy. */
  readonly utilizationDuring: (milliseconds: number, signal: AbortSignal) => Promise<number>
  readonly usedBytes: () => number
  /** All that can be had, at once. */
  readonly collect: () => void
}

/**
 * In the first while in which nobody asks for anything and nothing is under way, unless there is much by then;
 * `requestCount` only ever grows. Resolves then, or when the signal fires.
 */
export async function giveBackMemory(
  requestCount: () => number,
  signal: AbortSignal,
  heap: Heap = nodesHeap(),
): Promise<void> {
  const untilQuietFor = async (milliseconds: number): Promise<void> => {
    for (let isQuiet = false; !isQuiet; ) {
      const seen = requestCount()
      const utilization = await heap.utilizationDuring(milliseconds, signal)
      isQuiet = seen === requestCount() && utilization < MOST_UTILIZATION
    }
  }
  try {
    await untilQuietFor(LOOK_EVERY_MS)
    for (let age = 0; age < CODE_IS_OLD && heap.usedBytes() < MOST_HEAP_BYTES; age++) {
      heap.collect()
      await untilQuietFor(BETWEEN_COLLECTIONS_MS)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void

function nodesHeap(): Heap {
  let collector: Collect | undefined
  return {
    async utilizationDuring(milliseconds, signal) {
      const before = performance.eventLoopUtilization()
      await sleep(milliseconds, undefined, { signal, ref: false })
      return performance.eventLoopUtilization(before).utilization
    },
    usedBytes: () => getHeapStatistics().used_heap_size,
    collect() {
      collector ??= takeCollector()
      collector({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    },
  }
}

/** It is given to contexts that are made while the flag is up. */
function takeCollector(): Collect {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as Collect
  setFlagsFromString('--no-expose-gc')
  return collect
}
