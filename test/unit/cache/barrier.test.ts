import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Barrier } from '../../../src/cache/barrier.ts'
import { Progress } from '../../../src/cache/progress.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'

/** Questions to a storage that are answered when the test says so. */
class Questions {
  readonly open: { answer: (revision: number) => void; fail: (error: Error) => void }[] = []
  asked = 0

  readonly newest = (): Promise<number> => {
    this.asked++
    return new Promise((answer, fail) => this.open.push({ answer, fail }))
  }
}

function open(isAskable = true) {
  const clock = new ManualClock()
  const questions = new Questions()
  const nudges: number[] = []
  const progress = new Progress(clock, () => {
    nudges.push(clock.now())
    return isAskable
  })
  return { clock, questions, progress, nudges, barrier: new Barrier(clock, progress, questions.newest) }
}

describe('the barrier', () => {
  it('asks once for all who come before, and once more for all who come meanwhile', async () => {
    const { questions, progress, barrier } = open()
    progress.advance(10)
    const first = barrier.pass()
    const later = Array.from({ length: 100 }, () => barrier.pass())
    expect(questions.asked).toBe(1)
    questions.open.shift()?.answer(10)
    expect(await first).toBe(true)
    await setImmediate()
    expect(questions.asked).toBe(2)
    const latest = barrier.pass()
    questions.open.shift()?.answer(10)
    expect(new Set(await Promise.all(later))).toEqual(new Set([true]))
    await setImmediate()
    expect(questions.asked).toBe(3)
    questions.open.shift()?.answer(10)
    expect(await latest).toBe(true)
  })

  it('asks together for all who come in one turn of the event loop where answers take their time', async () => {
    const { questions, progress, barrier, clock } = open()
    progress.advance(10)
    const first = barrier.pass()
    clock.advance(1)
    questions.open.shift()?.answer(10)
    await first
    const together = Array.from({ length: 100 }, () => barrier.pass())
    expect(questions.asked).toBe(1)
    await setImmediate()
    expect(questions.asked).toBe(2)
    questions.open.shift()?.answer(10)
    expect(new Set(await Promise.all(together))).toEqual(new Set([true]))
  })

  it('waits until the cache is there', async () => {
    const { questions, progress, barrier, clock } = open()
    progress.advance(10)
    let passed = false
    const passing = barrier.pass().then((isFresh) => (passed = isFresh))
    questions.open.shift()?.answer(12)
    await setImmediate()
    progress.advance(11)
    await setImmediate()
    expect(passed).toBe(false)
    progress.advance(12)
    await passing
    expect(passed).toBe(true)
    expect(clock.pending).toBe(0)
  })

  it('asks the stream how far it is where nothing comes, and gives up after three seconds (R-173)', async () => {
    const { questions, barrier, clock, nudges } = open()
    const passing = barrier.pass()
    questions.open.shift()?.answer(12)
    await setImmediate()
    clock.advance(2_999)
    expect(nudges.length).toBeGreaterThan(20)
    clock.advance(1)
    expect(await passing).toBe(false)
    expect(clock.pending).toBe(0)
  })

  it('does not wait where the stream cannot be asked', async () => {
    const { questions, barrier, clock, nudges } = open(false)
    const passing = barrier.pass()
    questions.open.shift()?.answer(12)
    await setImmediate()
    clock.advance(20)
    expect(await passing).toBe(false)
    expect(nudges).toHaveLength(1)
    expect(clock.pending).toBe(0)
  })

  it('passes a failure on to those who shared the question, and only to them', async () => {
    const { questions, progress, barrier } = open()
    progress.advance(10)
    const first = barrier.pass()
    const next = barrier.pass()
    questions.open.shift()?.fail(new Error('away'))
    await expect(first).rejects.toThrow('away')
    await setImmediate()
    questions.open.shift()?.answer(10)
    expect(await next).toBe(true)
  })
})

describe('waiting for a revision', () => {
  it('ends when the signal fires', async () => {
    const { progress, clock } = open()
    const abort = new AbortController()
    const reaching = progress.reach(5, { timeoutMs: 1_000, signal: abort.signal })
    abort.abort()
    expect(await reaching).toBe(false)
    expect(await progress.reach(5, { timeoutMs: 1_000, signal: abort.signal })).toBe(false)
    expect(clock.pending).toBe(0)
  })
})
