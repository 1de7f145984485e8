// For how long the event loop of this process is held up while something is done, by processor time: a busy machine does not matter.
import { expect } from 'vitest'
import { Majority } from './majority.ts'
import { slownessNow } from './slowness.ts'

/** Of the processor, in one turn. */
const MAX_STALL_MS = 50

/** Of the longest turn of the event loop, in milliseconds. */
export async function longestStall(work: () => Promise<unknown>): Promise<number> {
  let [last, longest, isOver] = [process.threadCpuUsage(), 0, false]
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(last)
    longest = Math.max(longest, (user + system) / 1000)
    last = process.threadCpuUsage()
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  try {
    await work()
  } finally {
    isOver = true
  }
  return longest
}

/** What is done each time anew gives the event loop back often enough; `moreMs` of a turn are excepted. */
export async function expectNoStall(doOnce: () => Promise<number>, moreMs = 0): Promise<void> {
  // Compilation and garbage of what came before may fall into any of them.
  const tries = new Majority(5)
  while (!tries.isDecided) {
    const stall = await doOnce()
    const allowed = MAX_STALL_MS * slownessNow() + moreMs
    tries.add(stall <= allowed ? undefined : `${stall.toFixed(0)} ms of ${allowed.toFixed(0)}`)
  }
  expect(tries.faults).toEqual([])
}
