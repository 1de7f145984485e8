// For how long the event loop of this process is held up while something is done.
import { expect } from 'vitest'
import { Majority } from './majority.ts'
import { slownessNow } from './slowness.ts'
import { TurnMeter } from './turn-meter.ts'

/** Of the processor, in one turn, on a machine that is as fast as usual. */
export const MAX_STALL_MS = 50

/** Of the longest turn of the event loop without garbage collection, in milliseconds. */
export async function longestStall(work: () => Promise<unknown>): Promise<number> {
  const meter = new TurnMeter()
  try {
    await work()
    return (await meter.longest()).ms
  } finally {
    meter.stop()
  }
}

/** What is done each time anew gives the event loop back often enough; `moreMs` of a turn are excepted. */
export async function expectNoStall(doOnce: () => Promise<number>, moreMs = 0): Promise<void> {
  // Compilation of what came before may fall into any of them.
  const tries = new Majority(5)
  while (!tries.isDecided) {
    const stall = await doOnce()
    const allowed = MAX_STALL_MS * slownessNow() + moreMs
    tries.add(stall <= allowed ? undefined : `${stall.toFixed(0)} ms of ${allowed.toFixed(0)}`)
  }
  expect(tries.faults).toEqual([])
}
