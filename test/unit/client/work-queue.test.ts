import { expect, it, onTestFinished } from 'vitest'
import { TerminalError, WorkQueue, type WorkQueueOptions } from '../../../src/client/work-queue.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'

interface OpenQueue {
  readonly queue: WorkQueue
  readonly clock: ManualClock
  readonly stop: AbortController
  readonly running: Promise<void>
}

function open(options: Partial<WorkQueueOptions> & Pick<WorkQueueOptions, 'work'>): OpenQueue {
  const clock = new ManualClock()
  const hour = 3_600_000
  const rest = { clock, concurrency: 1, firstRetryMs: hour, longestRetryMs: 10 * hour, onError: () => {} }
  const queue = new WorkQueue({ ...rest, ...options })
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  return { queue, clock, stop, running: queue.run(stop.signal) }
}

/** Resolves when work that waits for nothing is done. */
function worked(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Work that goes on until the test ends it. */
function heldWork() {
  const begun: string[] = []
  const ends: (() => void)[] = []
  const work = async (key: string): Promise<undefined> => {
    begun.push(key)
    await new Promise<void>((resolve) => ends.push(resolve))
    return undefined
  }
  const endNext = async (): Promise<void> => {
    ends.shift()?.()
    await worked()
  }
  return { begun, work, endNext }
}

it('a key that is added during its work is worked on once more, and never twice at once', async () => {
  const { begun, work, endNext } = heldWork()
  const { queue } = open({ work, concurrency: 3 })
  for (let i = 0; i < 3; i++) queue.add('a')
  queue.add('b')
  expect(begun).toEqual(['a', 'b'])
  await endNext()
  expect(begun).toEqual(['a', 'b', 'a'])
  await endNext()
  await endNext()
  expect(begun).toEqual(['a', 'b', 'a'])
})

it('as many keys are worked on at once as may be, in the order in which they were added', async () => {
  const { begun, work, endNext } = heldWork()
  const { queue } = open({ work, concurrency: 2 })
  for (const key of ['a', 'b', 'c', 'd']) queue.add(key)
  expect(begun).toEqual(['a', 'b'])
  await endNext()
  expect(begun).toEqual(['a', 'b', 'c'])
})

it('a failure is tried again, later each time, until it succeeds', async () => {
  const told: unknown[] = []
  let failures = 5
  const { queue, clock } = open({
    firstRetryMs: 1_000_000,
    longestRetryMs: 5_000_000,
    work: async () => {
      if (failures-- > 0) throw new Error('not yet')
      return undefined
    },
    onError: (key, error, retryMs) => void told.push([key, (error as Error).message, retryMs]),
  })
  queue.add('a')
  for (const [i, delay] of [1_000_000, 2_000_000, 4_000_000, 5_000_000, 5_000_000].entries()) {
    await expect.poll(() => told.length).toBe(i + 1)
    expect(told.at(-1)).toEqual(['a', 'not yet', delay])
    clock.advance(delay - 1)
    expect(told).toHaveLength(i + 1)
    clock.advance(1)
  }
  await expect.poll(() => failures).toBe(-1)
  failures = 1
  queue.add('a')
  await expect.poll(() => told.at(-1)).toEqual(['a', 'not yet', 1_000_000])
})

it('a terminal error is not tried again', async () => {
  const told: unknown[] = []
  const work = async (): Promise<undefined> => Promise.reject(new TerminalError('never'))
  const { queue, clock } = open({ work, onError: (_key, _error, retryMs) => void told.push(retryMs) })
  queue.add('a')
  await expect.poll(() => told).toEqual([undefined])
  clock.advance(1e12)
  await worked()
  expect(told).toEqual([undefined])
})

it('a key comes back after the delay of its last work', async () => {
  const times: number[] = []
  const delays: (number | undefined)[] = [60_000, 5_000, undefined]
  const { queue, clock } = open({
    work: async () => {
      times.push(clock.now())
      return delays.shift()
    },
  })
  const began = clock.now()
  queue.add('a')
  await worked()
  clock.advance(1_000)
  // The change in between replaces the first delay.
  queue.add('a')
  await worked()
  for (const step of [5_000, 54_000, 200_000]) {
    clock.advance(step)
    await worked()
  }
  expect(times.map((time) => time - began)).toEqual([0, 1_000, 6_000])
})

it('a queue that stops finishes the work, and begins no other', async () => {
  const { begun, work, endNext } = heldWork()
  const { queue, stop, running } = open({ work })
  queue.add('a')
  queue.add('b')
  stop.abort()
  queue.add('c')
  let hasEnded = false
  void running.then(() => (hasEnded = true))
  await worked()
  expect(hasEnded).toBe(false)
  await endNext()
  await running
  expect(begun).toEqual(['a'])
})
