import { expect, it } from 'vitest'
import { RequestTurns } from '../../../src/wire/request-turns.ts'

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** How many requests a connection has begun in one turn, each of which does this. */
async function begunInOneTurn(turns: RequestTurns, work: () => void = () => {}): Promise<number> {
  let begun = 0
  do {
    begun++
    work()
  } while (turns.noteRequest())
  await nextTurn()
  return begun
}

function useProcessor(milliseconds: number): void {
  const start = process.threadCpuUsage()
  for (;;) {
    const { user, system } = process.threadCpuUsage(start)
    if (user + system >= milliseconds * 1000) return
  }
}

function wait(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

it('begins many cheap requests in a turn, and no more than are good for the others', async () => {
  const turns = new RequestTurns()
  expect([await begunInOneTurn(turns), await begunInOneTurn(turns)]).toEqual([32, 32])
  expect(turns.number).toBe(2)
})

it('begins few dear ones, once it is known that they are, and many again when they are cheap', async () => {
  const turns = new RequestTurns()
  turns.noteRequest()
  for (let turn = 0; turn < 10; turn++) {
    useProcessor(10)
    await nextTurn()
    turns.noteRequest()
  }
  await nextTurn()
  expect(await begunInOneTurn(turns)).toBeLessThanOrEqual(4)
  for (let turn = 0; turn < 30; turn++) await begunInOneTurn(turns)
  expect(await begunInOneTurn(turns)).toBe(32)
})

it('does not take the time of other programs for its own', async () => {
  const begun: number[] = []
  // A pause of this program in a turn whose time is taken by the clock counts as its own: most tries decide.
  for (let attempt = 0; attempt < 5; attempt++) {
    const turns = new RequestTurns()
    for (let turn = 0; turn < 30; turn++) {
      turns.noteRequest()
      wait(2)
      await nextTurn()
    }
    begun.push(await begunInOneTurn(turns))
  }
  expect(begun.toSorted((a, b) => a - b)[2]).toBeGreaterThan(4)
})
