// A worker whose event loop is blocked, or that takes all memory: its supervisor tells where and why, and replaces it.
import path from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { Log } from '../../src/lib/log.ts'
import { Workers } from '../../src/workers/workers.ts'

interface Told {
  readonly message: string
  readonly why?: string
  readonly callStack?: readonly string[]
  readonly lastWords?: string
}

interface Started {
  readonly workers: Workers
  readonly told: readonly Told[]
  readonly stderr: () => string
}

async function startWorkers(stallMs: number, orderFor: () => unknown = () => ({})): Promise<Started> {
  const told: Told[] = []
  const note = (fields: object, message: string): void => void told.push({ ...fields, message })
  const log: Log = { debug: note, info: note, warn: note, error: note }
  let stderr = ''
  const workers = new Workers({
    count: 1,
    program: path.join(import.meta.dirname, '../fakes/stalling-worker.ts'),
    args: [],
    orderFor,
    stallMs,
    graceMs: () => 5_000,
    onStderr: (text) => (stderr += text),
    onQuestion: () => Promise.resolve(),
    onChange: () => {},
    log,
  })
  onTestFinished(() => workers.stop())
  await workers.start()
  return { workers, told, stderr: () => stderr }
}

/** What was counted, when another has taken the place of one that failed. */
async function counted({
  workers,
  told,
}: Started): Promise<readonly [restarts: Record<string, number>, seconds: number]> {
  await expect.poll(() => told.map(({ message }) => message)).toContain('another worker has taken its place')
  const { restarts, incomplete } = workers.measures
  const causes = Array.from(restarts.all(), ({ values, series }) => [values[0], series.value] as const)
  await incomplete.refresh()
  return [Object.fromEntries(causes.filter(([, count]) => count > 0)), incomplete.of().value]
}

it('is told with the calls that it was in, once, and nothing of the debugger that found them', async () => {
  const started = await startWorkers(500)
  const { workers, told } = started
  const [worker] = workers.alive
  await expect(worker!.ask('anything', 60_000)).rejects.toThrow('it did not answer for')
  const [restarts, seconds] = await counted(started)
  expect(restarts).toEqual({ stall: 1 })
  // From when it was last heard of.
  expect(seconds).toBeGreaterThan(0.5)
  const ends = told.filter(({ message }) => message === 'a worker ended')
  expect(ends).toHaveLength(1)
  expect(ends[0]?.callStack?.[0]).toMatch(/^walkInCircles \(.*stalling-worker\.ts:\d+:\d+\)$/)
  expect(ends[0]?.callStack?.length).toBeLessThanOrEqual(10)
  expect([ends[0]?.lastWords, started.stderr()]).toEqual(['', ''])
})

it('is counted as one that had no memory left where that was why', async () => {
  vi.stubEnv('NODE_OPTIONS', '--max-old-space-size=48')
  onTestFinished(() => void vi.unstubAllEnvs())
  const started = await startWorkers(60_000)
  const [worker] = started.workers.alive
  await expect(worker!.ask('take all memory', 60_000)).rejects.toThrow('SIG')
  const [restarts, seconds] = await counted(started)
  expect(restarts).toEqual({ out_of_memory: 1 })
  expect(seconds).toBeGreaterThan(0)
})

it('is counted as a crash where it was killed, and as a reload where it was replaced', async () => {
  const started = await startWorkers(60_000)
  const [worker] = started.workers.alive
  process.kill(worker!.pid!, 'SIGKILL')
  expect((await counted(started))[0]).toEqual({ crash: 1 })
  const [, before] = await counted(started)
  await started.workers.replaceAll()
  expect(await counted(started)).toEqual([{ crash: 1, reload: 1 }, before])
})

it('is replaced at a reload, also after one that failed', async () => {
  let fault: Error | undefined
  const { workers, told } = await startWorkers(60_000, () => {
    if (fault !== undefined) throw fault
    return {}
  })
  const [first] = workers.alive
  fault = new Error('no order')
  await workers.replaceAll()
  expect(told.map(({ message }) => message)).toContain('could not replace a worker; keeping the previous ones')
  expect([...workers.alive]).toEqual([first])
  fault = undefined
  await workers.replaceAll()
  expect(told.map(({ message }) => message)).toContain('replaced a worker')
  expect([...workers.alive]).not.toContain(first)
})

it('is replaced later where another cannot be started at once', async () => {
  let orders = 0
  const started = await startWorkers(60_000, () => {
    if (++orders === 2) throw new Error('there is no order')
    return {}
  })
  const [worker] = started.workers.alive
  worker!.kill('a test')
  expect((await counted(started))[0]).toEqual({ crash: 1 })
  expect(started.told.map(({ message }) => message)).toContain('could not start another worker; trying again')
})
