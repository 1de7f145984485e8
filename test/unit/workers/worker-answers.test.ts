import { expect, it } from 'vitest'
import type { Log } from '../../../src/lib/log.ts'
import { WorkerAnswers } from '../../../src/workers/worker-answers.ts'
import type { FamilySnapshot } from '../../../src/telemetry/worker-metrics.ts'
import { WorkerMeasures } from '../../../src/workers/measures.ts'
import type { WorkerProcess } from '../../../src/workers/workers.ts'

type FakeWorker = { -readonly [member in 'name' | 'stage' | 'ask']: WorkerProcess[member] }

const told: readonly FamilySnapshot[] = [
  { name: 'requests_total', kind: 'counter', series: [{ values: [], numbers: [20] }] },
  { name: 'process_resident_memory_bytes', kind: 'gauge', series: [{ values: [], numbers: [7] }] },
]

function answersOf(...workers: readonly FakeWorker[]): WorkerAnswers {
  const alive = new Set(workers as readonly WorkerProcess[])
  return new WorkerAnswers(() => alive, new WorkerMeasures(), {} as Log)
}

async function familiesOf(answers: WorkerAnswers, worker: string | undefined): Promise<readonly string[]> {
  const all = await answers.answer({ kind: 'metrics' }, {} as WorkerProcess)
  const of = all.filter((answer) => answer.worker === worker)
  return of.flatMap(({ answer }) => (answer as readonly FamilySnapshot[]).map(({ name }) => name))
}

it('a worker that answers late counts with what it told last', async () => {
  const worker: FakeWorker = { name: '1', stage: 'ready', ask: async () => told }
  const answers = answersOf(worker)
  expect(await familiesOf(answers, '1')).toEqual(['requests_total', 'process_resident_memory_bytes'])
  worker.ask = () => Promise.reject(new Error('the worker does not answer'))
  expect(await familiesOf(answers, '1')).toEqual(['requests_total', 'process_resident_memory_bytes'])
})

it('a worker that ends keeps its counters, and leaves its process figures to its successor', async () => {
  const worker: FakeWorker = { name: '1', stage: 'ready', ask: async () => told }
  const answers = answersOf(worker)
  await familiesOf(answers, '1')
  worker.stage = 'leaving'
  expect(await familiesOf(answers, '1')).toEqual([])
  expect(await familiesOf(answers, undefined)).toEqual(['requests_total'])
})

it('names the workers in the order of their names, whichever answers first', async () => {
  const late = Promise.withResolvers<void>()
  const first: FakeWorker = { name: '2', stage: 'ready', ask: async () => told }
  const second: FakeWorker = { name: '10', stage: 'ready', ask: async () => told }
  const last: FakeWorker = { name: '1', stage: 'ready', ask: async () => (await late.promise, told) }
  const asked = answersOf(second, first, last).answer({ kind: 'metrics' }, {} as WorkerProcess)
  late.resolve()
  expect((await asked).map(({ worker }) => worker)).toEqual(['1', '2', '10', 'supervisor', undefined])
})
