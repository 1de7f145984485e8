import { expect, it } from 'vitest'
import { CountedTurns, runInTurns, Turns } from '../../../src/lib/turns.ts'

function busyFor(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

function* longWork(): Generator<void, number> {
  for (let i = 0; i < 400; i++) {
    busyFor(0.1)
    yield
  }
  return 400
}

it('long work gives the event loop back, however many requests do it', async () => {
  const turns = new Turns()
  const works = Array.from({ length: 5 }, () => runInTurns(longWork(), turns))
  let [last, longest, isOver] = [process.threadCpuUsage(), 0, false]
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(last)
    longest = Math.max(longest, (user + system) / 1000)
    last = process.threadCpuUsage()
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  expect(await Promise.all(works)).toEqual([400, 400, 400, 400, 400])
  isOver = true
  // Two hundred milliseconds of work in pieces of less than ten.
  expect(longest).toBeLessThan(40)
})

it('a number of short pieces begins in one turn, in their order', async () => {
  const turns = new CountedTurns(2)
  const begun: number[] = []
  for (let i = 0; i < 5; i++) void turns.next().then(() => begun.push(i))
  const seen: number[][] = []
  for (let i = 0; i < 4; i++) {
    await Promise.resolve()
    await Promise.resolve()
    seen.push([...begun])
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(seen).toEqual([
    [0, 1],
    [0, 1, 2, 3],
    [0, 1, 2, 3, 4],
    [0, 1, 2, 3, 4],
  ])
})
