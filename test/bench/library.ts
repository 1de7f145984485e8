// The server as a library, from the built package in processes of their own: the first start with its import, a hundred more, their
// stops, forks of 10,000 objects, and a suite of tests that has a fork a test; beside them etcd and kube-apiserver, spawned and
// waited for as test environments do. Wall and processor time: the latter hardly depends on what else the machine does.
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Measured, Time } from './library-measure.ts'
import { measureReference, type ReferenceTimes } from './library-reference.ts'
import { median } from './median.ts'

const FIRST_STARTS = 10
const SUITES = 5
const REFERENCE_STARTS = 3

export async function bench(): Promise<void> {
  const firsts: Time[] = []
  for (let i = 0; i < FIRST_STARTS; i++) firsts.push((await measure('first')).first)
  show('first start, import included', firsts)
  const all = await measure('all')
  show('100 starts after it', all.starts)
  show('their stops', all.stops)
  row('handles that they left', String(all.handlesLeft))
  show('fork of 10,000 objects', all.forks)
  row('its memory', `${kilobytes(all.forkBytes)}; ${kilobytes(all.answeringForkBytes)} once it has answered`)
  show('fork and its first answer', all.firstAnswers)
  show('fifty such forks at once', [all.fifty])
  show('first answers of all fifty', [all.fiftyAnswers])
  await showSuite()
  await showReference()
}

async function measure(what: 'first' | 'all'): Promise<Measured> {
  const program = path.join(import.meta.dirname, 'library-measure.ts')
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', program, what])
  return JSON.parse(stdout) as Measured
}

/** The tests of the example operator, each with a fork of its own: all of what `vitest run` takes. */
async function showSuite(): Promise<void> {
  const vitest = path.join(import.meta.dirname, '../../node_modules/vitest/vitest.mjs')
  const operator = path.join(import.meta.dirname, '../examples/operator')
  const walls: number[] = []
  for (let i = 0; i < SUITES; i++) {
    const start = performance.now()
    await promisify(execFile)(process.execPath, [vitest, 'run', '--root', operator])
    walls.push(performance.now() - start)
  }
  row("the operator's suite of tests", `p50 ${median(walls).toFixed(0)} ms, most ${Math.max(...walls).toFixed(0)} ms`)
}

async function showReference(): Promise<void> {
  const name = 'etcd and kube-apiserver'
  const times: ReferenceTimes[] = []
  for (let i = 0; i < REFERENCE_STARTS; i++) {
    const measured = await measureReference()
    if (measured === undefined) return row(name, 'not built; make test-reference builds it')
    times.push(measured)
  }
  const [start, stop] = [times.map((each) => each.start), times.map((each) => each.stop)]
  row(name, `start ${median(start).toFixed(0)} ms, stop ${median(stop).toFixed(0)} ms`)
}

function show(name: string, times: readonly Time[]): void {
  const walls = times.map(({ wall }) => wall).toSorted((a, b) => a - b)
  const processor = median(times.map((time) => time.processor))
  const worst = walls.length < 20 ? 'most' : 'p95'
  const high = walls[worst === 'most' ? walls.length - 1 : Math.ceil(walls.length * 0.95) - 1] ?? 0
  const wall =
    times.length === 1 ? `${high.toFixed(1)} ms` : `p50 ${median(walls).toFixed(1)} ms, ${worst} ${high.toFixed(1)} ms`
  row(name, `${wall}, processor ${processor.toFixed(1)} ms`)
}

function row(name: string, text: string): void {
  process.stdout.write(`  ${name.padEnd(30)} ${text}\n`)
}

function kilobytes(bytes: number): string {
  return `${Math.round(bytes / 1024)} KB`
}
