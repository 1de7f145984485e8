// Returns unused memory to the system when the server is idle. V8 lets its heap grow during the start and under load, and does not shrink
// it. It also keeps unused buffers, and code that only the start needs.
import { setTimeout as sleep } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'
import type { Collector } from './collector.ts'

const LOOK_EVERY_MS = 1000
/** After this many looks at a busy server, the memory of the start is returned later, with the rest. */
const MOST_LOOKS = 60
/** V8 drops code that did not run between this many collections. */
const CODE_IS_OLD = 8
/** A collection stops the process, for a tenth of a second if the heap is large. Requests are served between two collections. */
const BETWEEN_COLLECTIONS_MS = 200
/**
 * The server is not idle above this load, even if no request comes: it may send events of watches. An idle server uses less than a
 * hundredth.
 */
const MOST_UTILIZATION = 0.1
/** A collection takes a millisecond for a megabyte. In a larger heap, the garbage of the start is only a small part. */
const MOST_HEAP_BYTES = 96 * 1024 * 1024

/** After the collections of the start, the server must be quiet for longer, and collections are rare. */
const QUIET_MS = 5_000
const QUIET_UTILIZATION = 0.05
const BETWEEN_LATER_MS = 30_000
/** A collection is worth its time if the heap has grown by at least this many bytes, and by this part, since the last one. */
const WORTH_BYTES = 8 * 1024 * 1024
const WORTH_PART = 0.2

/** The functions of Node that this file uses. Tests pass their own. */
export interface Heap {
  /** Waits this long. Resolves with the share of the time in which the event loop was busy. */
  readonly utilizationDuring: (milliseconds: number, signal: AbortSignal) => Promise<number>
  readonly usedBytes: () => number
  /** The memory of the process, used or not: the heap and the buffers. */
  readonly takenBytes: () => number
  /** Collects all garbage at once. */
  readonly collect: () => void
}

/**
 * Collects after the start, as soon as the server is idle, unless the heap is large by then. Later, it collects whenever the memory has
 * grown and the server is quiet. `requestCount` never falls. Resolves when the signal fires.
 */
export async function giveBackMemory(requestCount: () => number, signal: AbortSignal, heap: Heap): Promise<void> {
  try {
    let { needed, left } = await giveBackStart(requestCount, signal, heap)
    for (;;) {
      await heap.utilizationDuring(BETWEEN_LATER_MS, signal)
      while (heap.takenBytes() < left + Math.max(WORTH_BYTES, left * WORTH_PART)) {
        await heap.utilizationDuring(QUIET_MS, signal)
      }
      while ((await heap.utilizationDuring(QUIET_MS, signal)) > QUIET_UTILIZATION);
      if (Math.min(needed, heap.usedBytes()) > MOST_HEAP_BYTES) continue
      ;({ needed, left } = collected(heap))
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** The memory after a collection. `needed`: the bytes in use. `left`: the bytes that are taken from the system. */
interface Left {
  readonly needed: number
  readonly left: number
}

function collected(heap: Heap): Left {
  heap.collect()
  return { needed: heap.usedBytes(), left: heap.takenBytes() }
}

/** Resolves to the memory after the last collection. If there was no collection, both are 0: all memory may be garbage. */
async function giveBackStart(requestCount: () => number, signal: AbortSignal, heap: Heap): Promise<Left> {
  let looks = 0
  const isQuietFor = async (milliseconds: number): Promise<boolean> => {
    for (; looks < MOST_LOOKS; looks++) {
      const seen = requestCount()
      const utilization = await heap.utilizationDuring(milliseconds, signal)
      if (seen === requestCount() && utilization < MOST_UTILIZATION) return true
    }
    return false
  }
  let result: Left = { needed: 0, left: 0 }
  let isQuiet = await isQuietFor(LOOK_EVERY_MS)
  for (let age = 0; isQuiet && age < CODE_IS_OLD && heap.usedBytes() < MOST_HEAP_BYTES; age++) {
    result = collected(heap)
    isQuiet = await isQuietFor(BETWEEN_COLLECTIONS_MS)
  }
  return result
}

export function nodesHeap(takeCollector: () => Collector): Heap {
  let collect: Collector | undefined
  return {
    async utilizationDuring(milliseconds, signal) {
      const before = performance.eventLoopUtilization()
      await sleep(milliseconds, undefined, { signal, ref: false })
      return performance.eventLoopUtilization(before).utilization
    },
    usedBytes: () => getHeapStatistics().used_heap_size,
    takenBytes: () => {
      const { total_heap_size: heap, external_memory: buffers } = getHeapStatistics()
      return heap + buffers
    },
    collect() {
      collect ??= takeCollector()
      collect()
    },
  }
}
