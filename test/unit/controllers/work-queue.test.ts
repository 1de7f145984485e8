import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../src/lib/clock.ts'
import { SILENT_LOG } from '../../../src/lib/log.ts'
import { QueueMeasures } from '../../../src/controllers/queue-measures.ts'
import { WorkQueue } from '../../../src/controllers/work-queue.ts'

function running(work: (key: string) => Promise<boolean>) {
  const measures = new QueueMeasures()
  const stop = new AbortController()
  const queue = new WorkQueue(
    { clock: systemClock, log: SILENT_LOG, queues: measures },
    { name: 'q', workers: 1, work },
  )
  const run = (): void => {
    const ended = queue.run(stop.signal)
    onTestFinished(async () => {
      stop.abort()
      await ended
    })
  }
  return { queue, tally: measures.of('q'), run }
}

const counted = ({ counts }: { readonly counts: Float64Array }): number => counts.reduce((sum, n) => sum + n, 0)

describe('a queue of keys', () => {
  it('works on each once, however often it is added while it waits, and tells how much there is', async () => {
    const done: string[] = []
    const { queue, tally, run } = running((key) => Promise.resolve(done.push(key) < 0))
    for (const key of ['a', 'b', 'a']) queue.add(key)
    expect(tally).toMatchObject({ depth: { value: 2 }, adds: { value: 2 } })
    run()
    await expect.poll(() => counted(tally.workSeconds)).toBe(2)
    expect(done).toEqual(['a', 'b'])
    expect(tally).toMatchObject({ depth: { value: 0 }, retries: { value: 0 } })
    expect(counted(tally.waitSeconds)).toBe(2)
  })

  it('works on few keys in one turn of the event loop, although the work waits for nothing', async () => {
    let [inTurn, most, done] = [0, 0, 0]
    const { queue, run } = running(() => {
      if (inTurn++ === 0) setImmediate(() => (inTurn = 0))
      most = Math.max(most, inTurn)
      return Promise.resolve(done++ < 0)
    })
    for (let i = 0; i < 1000; i++) queue.add(`${i}`)
    run()
    await expect.poll(() => done).toBe(1000)
    expect(most).toBeLessThan(20)
  })

  it('tells how long it has been at what it is at', async () => {
    const measures = new QueueMeasures()
    const stop = new AbortController()
    const held = Promise.withResolvers<boolean>()
    const queue = new WorkQueue(
      { clock: systemClock, log: SILENT_LOG, queues: measures },
      { name: 'q', workers: 2, work: () => held.promise },
    )
    const shown = async (name: string): Promise<number> => {
      const family = measures.all().find((each) => each.name === `workqueue_${name}`)!
      await family.refresh()
      return ([...family.all()][0]!.series as { value: number }).value
    }
    const ended = queue.run(stop.signal)
    queue.add('a')
    queue.add('b')
    await expect.poll(() => shown('unfinished_work_seconds')).toBeGreaterThan(0)
    await expect
      .poll(async () => (await shown('unfinished_work_seconds')) > (await shown('longest_running_processor_seconds')))
      .toBe(true)
    held.resolve(false)
    await expect.poll(() => shown('longest_running_processor_seconds')).toBe(0)
    stop.abort()
    await ended
  })

  it('comes back to what failed, and counts that', async () => {
    let attempts = 0
    const { queue, tally, run } = running(() => {
      if (++attempts < 3) throw new Error('not yet')
      return Promise.resolve(false)
    })
    queue.add('a')
    run()
    await expect.poll(() => attempts).toBe(3)
    expect(tally.retries.value).toBe(2)
  })

  it('comes back to a key at the first of the times that it was asked for', async () => {
    const done: string[] = []
    const { queue, run } = running((key) => Promise.resolve(done.push(key) < 0))
    run()
    for (const milliseconds of [3_600_000, 1, 3_600_000]) queue.addAfter('a', milliseconds)
    await expect.poll(() => done).toEqual(['a'])
  })

  it('works on a key again that was added while it was worked on', async () => {
    const begun: (() => void)[] = []
    const { queue, run } = running(() => new Promise((resolve) => begun.push(() => resolve(false))))
    queue.add('a')
    run()
    await expect.poll(() => begun.length).toBe(1)
    queue.add('a')
    begun[0]!()
    await expect.poll(() => begun.length).toBe(2)
    begun[1]!()
  })
})
