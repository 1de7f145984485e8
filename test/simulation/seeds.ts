// A process that simulates: one seed with all that happens on its standard output, or one seed after the other until its time is over,
// with a line of JSON for each. Started by `simulate.ts`, with `preload.ts` before it.
import { type RunOptions, type RunResult, runSeed } from './run.ts'

// Nobody reads the stacks of errors that are thrown on purpose, and they take a tenth of the time.
Error.stackTraceLimit = process.env['STACKS'] === undefined ? 0 : 20

/** What is told of a run by a line. */
export interface RunLine extends Omit<RunResult, 'pairs'> {
  readonly pairs: Readonly<Record<string, number>>
  /** That it took. */
  readonly processorMs: number
}

const say = (line: string): void => void process.stdout.write(`${line}\n`)

async function lineOf(options: RunOptions): Promise<RunLine> {
  const before = process.cpuUsage()
  const result = await runSeed(options)
  await forget()
  const { user, system } = process.cpuUsage(before)
  return { ...result, pairs: Object.fromEntries(result.pairs), processorMs: (user + system) / 1000 }
}

/** The world that has ended is garbage from the next turn on. Now it is still in the young generation, so none of it is copied. */
async function forget(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  globalThis.gc?.({ type: 'minor', execution: 'sync' })
}

/** The same without what does not matter: a violation is left with as few faults as possible. */
async function shrunk(options: RunOptions): Promise<RunOptions> {
  const { faults } = await runSeed(options)
  let without: readonly number[] = []
  for (let one = 0; one < Math.max(faults, MOST_FAULTS); one++) {
    const less = { ...options, without: [...without, one] }
    const { violations } = await runSeed(less)
    if (violations.length > 0) ({ without } = less)
  }
  return { ...options, without }
}

const MOST_FAULTS = 12

async function go(): Promise<void> {
  const { env } = process
  const order = JSON.parse(env['ORDER'] ?? '{}') as Order
  if (order.kind === 'trace') {
    const { pairs: _, ...result } = await runSeed({ ...order.options, trace: say })
    return say(JSON.stringify(result, undefined, 1))
  }
  if (order.kind === 'shrink') return say(JSON.stringify(await shrunk(order.options)))
  const until = Date.now() + order.seconds * 1000
  for (let seed = order.first; Date.now() < until; seed += order.step) {
    say(JSON.stringify(await lineOf({ seed: String(seed) })))
  }
}

export type Order =
  | { readonly kind: 'trace'; readonly options: RunOptions }
  | { readonly kind: 'shrink'; readonly options: RunOptions }
  | { readonly kind: 'many'; readonly first: number; readonly step: number; readonly seconds: number }

await go()
