import { expect, it } from 'vitest'
import { type ScheduleResult, SchedulingQueue } from '../../../../src/controllers/cluster/scheduling-queue.ts'
import { ManualClock } from '../../../fakes/manual-clock.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A queue whose attempts end when the test says so. */
function openQueue() {
  const queue = new SchedulingQueue(new ManualClock())
  const stop = new AbortController()
  const begun: string[] = []
  const ends = new Map<string, (result: ScheduleResult) => void>()
  const schedule = (key: string): Promise<ScheduleResult> => {
    begun.push(key)
    return new Promise((resolve) => ends.set(key, resolve))
  }
  const running = queue.run(stop.signal, () => Promise.resolve(), schedule)
  const end = async (key: string, result: ScheduleResult = 'done'): Promise<void> => {
    ends.get(key)!(result)
    await turn()
  }
  const close = async (): Promise<void> => {
    stop.abort()
    for (const resolve of ends.values()) resolve('done')
    await running
  }
  return { queue, begun, end, close }
}

it('a pod does not wait until another has its node', async () => {
  const { queue, begun, close } = openQueue()
  queue.add('slow', 0)
  await turn()
  queue.add('low', 0)
  queue.add('high', 10)
  await turn()
  expect(begun).toEqual(['slow', 'high', 'low'])
  await close()
})

it('a limited number of pods is under way, and the highest priority comes next', async () => {
  const { queue, begun, end, close } = openQueue()
  for (let i = 0; i < 40; i++) queue.add(`p${i}`, 0)
  await turn()
  expect(begun).toHaveLength(16)
  queue.add('high', 10)
  await end('p3')
  expect(begun).toHaveLength(17)
  expect(begun.at(-1)).toBe('high')
  await close()
})

it('a pod for which room appears during its attempt is tried again after it', async () => {
  const { queue, begun, end, close } = openQueue()
  queue.add('a', 0)
  await turn()
  queue.tryAgain(true)
  await turn()
  expect(begun).toEqual(['a'])
  await end('a', 'unfit')
  expect(begun).toEqual(['a', 'a'])
  await end('a')
  queue.tryAgain(true)
  await turn()
  expect(begun).toHaveLength(2)
  await close()
})

it('ends while it waits for a turn', async () => {
  const queue = new SchedulingQueue(new ManualClock())
  const stop = new AbortController()
  const running = queue.run(stop.signal, turn, () => Promise.resolve('done'))
  queue.add('pod', 0)
  stop.abort()
  await running
})
