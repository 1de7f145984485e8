import { expect, it } from 'vitest'
import { Progress } from '../../../src/cache/progress.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'

const NEVER_MS = 3_600_000

it('tells who waits that a revision was reached', async () => {
  const progress = new Progress(systemClock, () => true)
  const waiting = progress.reach(7, { timeoutMs: NEVER_MS })
  progress.advance(6)
  progress.advance(8)
  expect(await waiting).toBe(true)
  expect(await progress.reach(8, { timeoutMs: NEVER_MS })).toBe(true)
})

it('lets nobody wait once the stream has ended: timers would not keep the process, which then ended before it was cleaned up', async () => {
  const progress = new Progress(systemClock, () => true)
  const waiting = progress.reach(7, { timeoutMs: NEVER_MS })
  progress.end()
  expect(await waiting).toBe(false)
  expect(await progress.reach(7, { timeoutMs: NEVER_MS })).toBe(false)
})

it.each([
  ['waits on', {}, true],
  ['gives up where he does not want to', { onlyIfAskable: true }, false],
])('who waits for a stream that cannot be asked how far it is %s', async (_name, options, isReached) => {
  const clock = new ManualClock()
  const progress = new Progress(clock, () => false)
  const waiting = progress.reach(7, { timeoutMs: NEVER_MS, ...options })
  clock.advance(10_000)
  progress.advance(7)
  expect(await waiting).toBe(isReached)
  expect(clock.pending).toBe(0)
})
