// Starts of the server on an etcd with many config maps of 1 KB, in turns: where etcd streams ranges, where it could and is read in pages,
// and where it cannot (the line before). `SIZES=100000,1000000`, `ROUNDS=5`.
import { setTimeout as sleep } from 'node:timers/promises'
import { processorMillisecondsOf } from '../rigs/process-measures.ts'
import { median } from './median.ts'
import type { Sample } from './scale/seed.ts'
import { seed } from './scale/seed.ts'
import { readSettings } from './scale/settings.ts'
import { CONFIG_MAPS, makeSample } from './scale/stored-objects.ts'
import { makeOurs, type Subject } from './scale/subject.ts'

const LEVEL = '--emulated-version=1.37'
/** What etcd does behind an answer is counted too. */
const AFTER_MS = 500

interface Start {
  readonly readyMs: number
  readonly processorMs: number
  readonly etcdMs: number
  readonly peakMB: number
  readonly etcdMB: number
}

export async function bench(): Promise<void> {
  const { sizes, rounds } = readSettings({ ...process.env, SIZES: process.env['SIZES'] ?? '100000' })
  const subjects = [
    await makeOurs('3.7, stream', 'newest', [LEVEL]),
    await makeOurs('3.7, pages', 'newest', [LEVEL, '--feature-gates=EtcdRangeStream=false']),
    await makeOurs('3.6, pages', 'previous', [LEVEL]),
  ]
  try {
    const samples = new Map<Subject, Sample>()
    for (const subject of subjects) {
      samples.set(subject, await makeSample(CONFIG_MAPS, subject))
      await subject.stop()
    }
    for (const [i, size] of sizes.entries()) {
      for (const subject of subjects) await seed(subject.etcd.endpoint, samples.get(subject)!, sizes[i - 1] ?? 0, size)
      const starts = new Map(subjects.map((subject) => [subject, [] as Start[]]))
      for (let round = 0; round < rounds; round++) {
        const order = round % 2 === 0 ? subjects : subjects.toReversed()
        for (const subject of order) starts.get(subject)!.push(await startOf(subject))
      }
      for (const [subject, found] of starts) print(size, subject, found)
    }
  } finally {
    for (const subject of subjects) await subject[Symbol.asyncDispose]()
  }
}

async function startOf(subject: Subject): Promise<Start> {
  const { pid } = subject.etcd
  const before = processorMillisecondsOf(pid)
  const { readyMs, processorMs } = await subject.start()
  await sleep(AFTER_MS)
  const etcdMs = processorMillisecondsOf(pid) - before
  const [peakMB, etcdMB] = [subject.peakMB(), subject.etcdMB()]
  await subject.stop()
  return { readyMs, processorMs, etcdMs, peakMB, etcdMB }
}

function print(size: number, { name }: Subject, starts: readonly Start[]): void {
  const of = (figure: keyof Start): string => median(starts.map((start) => start[figure])).toFixed(0)
  const all = starts.map(({ readyMs }) => readyMs.toFixed(0)).join(' ')
  const memory = `peak ${of('peakMB')} MB, etcd ${of('etcdMB')} MB`
  const work = `processor ${of('processorMs')} ms, etcd ${of('etcdMs')} ms`
  process.stdout.write(`${size} on etcd ${name}: ready ${of('readyMs')} ms (${all}), ${work}, ${memory}\n`)
}
