// Whether workers should hold one copy of the objects between them, or one each. Objects are bytes that never change: in a mapped
// file (LMDB's, in memory) all workers read the same pages, and are told of a change by its key and revision alone; otherwise each
// is sent the bytes and packs them into buffers of its own, as the cache does. Measured with one process that writes and several
// that read: the memory of each, the processor time of a read, and that of a change, for who writes it and for who follows.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { CopiesOrder, CopiesReport, Way } from './copies-process.ts'
import { median } from './median.ts'

const SIZES = (process.env['SIZES'] ?? '10000,100000').split(',').map(Number)
const FOLLOWERS = 2
const MEMORY_FILES = '/dev/shm'
const ROUNDS = 3
const WAYS = ['each', 'one'] as const satisfies readonly Way[]
const SAID = { each: 'a copy each', one: 'one copy' } as const

export async function bench(): Promise<void> {
  for (const count of SIZES) {
    const reports: Record<Way, CopiesReport[][]> = { each: [], one: [] }
    for (let round = 0; round < ROUNDS; round++) {
      for (const way of round % 2 === 0 ? WAYS : WAYS.toReversed()) reports[way].push(await measure(way, count))
    }
    for (const way of WAYS) tell(`${count} pods, ${SAID[way]}`, reports[way])
  }
}

/** Reports of the writer and of those that follow it. */
async function measure(way: Way, count: number): Promise<CopiesReport[]> {
  const folder = mkdtempSync(path.join(existsSync(MEMORY_FILES) ? MEMORY_FILES : tmpdir(), 'quarterdeck-bench-'))
  const common = { way, count, followers: FOLLOWERS, folder }
  const started: ChildProcess[] = []
  const start = (order: CopiesOrder): ChildProcess => {
    const child = fork(path.join(import.meta.dirname, 'copies-process.ts'), [JSON.stringify(order)])
    started.push(child)
    return child
  }
  try {
    const writer = start({ ...common, role: 'writer' })
    await once(writer, 'message')
    const followers = Array.from({ length: FOLLOWERS }, () => start({ ...common, role: 'follower' }))
    const reports = await Promise.all([writer, ...followers].map((child) => once(child, 'message')))
    return reports.map(([report]) => report as CopiesReport)
  } finally {
    for (const child of started) child.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

function tell(what: string, rounds: readonly (readonly CopiesReport[])[]): void {
  const of = (pick: (all: readonly CopiesReport[]) => number): string => median(rounds.map(pick)).toFixed(1)
  const followers = (pick: (report: CopiesReport) => number) => (all: readonly CopiesReport[]) =>
    median(all.slice(1).map(pick))
  process.stdout.write(
    `${what}: memory ${of(([writer]) => writer!.megabytes)} MB for who writes, ` +
      `${of(followers(({ megabytes }) => megabytes))} MB for each that follows; ` +
      `a read ${of(followers(({ readMicroseconds }) => readMicroseconds))} µs; ` +
      `a change ${of(([writer]) => writer!.changeMicroseconds)} µs for who writes, ` +
      `${of(followers(({ changeMicroseconds }) => changeMicroseconds))} µs for each that follows\n`,
  )
}
