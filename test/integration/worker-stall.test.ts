// A worker whose event loop is blocked: its supervisor tells where, and replaces it.
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Log } from '../../src/lib/log.ts'
import { Workers } from '../../src/workers/workers.ts'

interface Told {
  readonly message: string
  readonly why?: string
  readonly callStack?: readonly string[]
  readonly lastWords?: string
}

it('is told with the calls that it was in, once, and nothing of the debugger that found them', async () => {
  const told: Told[] = []
  const note = (fields: object, message: string): void => void told.push({ ...fields, message })
  const log: Log = { debug: note, info: note, warn: note, error: note }
  let stderr = ''
  const workers = new Workers({
    count: 1,
    program: path.join(import.meta.dirname, '../fakes/stalling-worker.ts'),
    args: [],
    orderFor: () => ({}),
    stallMs: 500,
    graceMs: () => 5_000,
    onStderr: (text) => (stderr += text),
    onQuestion: () => Promise.resolve(),
    onNews: () => {},
    onChange: () => {},
    log,
  })
  onTestFinished(() => workers.stop())
  await workers.start()
  const [worker] = workers.alive
  await expect(worker!.ask('anything', 60_000)).rejects.toThrow('it did not answer for')
  await expect.poll(() => told.map(({ message }) => message)).toContain('another worker has taken its place')
  const ends = told.filter(({ message }) => message === 'a worker ended')
  expect(ends).toHaveLength(1)
  expect(ends[0]?.callStack?.[0]).toMatch(/^walkInCircles \(.*stalling-worker\.ts:\d+:\d+\)$/)
  expect(ends[0]?.callStack?.length).toBeLessThanOrEqual(10)
  expect([ends[0]?.lastWords, stderr]).toEqual(['', ''])
})
