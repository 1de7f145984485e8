// Many seeds on all cores for so long: what they found, and which operations met which faults.
import { availableParallelism } from 'node:os'
import { simulate } from './processes.ts'
import type { RunLine } from './seeds.ts'

export interface Campaign {
  readonly runs: readonly RunLine[]
  /** Seeds with violations, or that ended a process. */
  readonly failed: readonly { readonly seed: string; readonly violations: readonly string[] }[]
  readonly seconds: number
}

export interface CampaignOptions {
  readonly first: number
  readonly seconds: number
  /** Plants a bug: see `simulate`. */
  readonly env?: NodeJS.ProcessEnv
  /** Ends with the first seed that fails. */
  readonly untilFound?: boolean
  readonly processes?: number
}

export async function campaign(options: CampaignOptions): Promise<Campaign> {
  const { first, seconds, env = {}, untilFound = false, processes = availableParallelism() } = options
  const runs: RunLine[] = []
  const failed: { seed: string; violations: readonly string[] }[] = []
  const began = performance.now()
  const found = new AbortController()
  const work = async (start: number): Promise<void> => {
    let next = start
    const onLine = (line: string): void => {
      const run = JSON.parse(line) as RunLine
      next += processes
      runs.push(run)
      if (run.violations.length === 0) return
      failed.push({ seed: run.seed, violations: run.violations })
      if (untilFound) found.abort()
    }
    const order = { kind: 'many', first: start, step: processes, seconds } as const
    const { code, errors } = await simulate(order, onLine, { env, signal: found.signal })
    if (code !== 0 && !found.signal.aborted) {
      failed.push({ seed: String(next), violations: [`the process ended with ${code}: ${errors.slice(-2000)}`] })
      if (untilFound) found.abort()
    }
  }
  await Promise.all(Array.from({ length: processes }, (_, i) => work(first + i)))
  return { runs, failed, seconds: (performance.now() - began) / 1000 }
}

export function summaryOf({ runs, failed, seconds }: Campaign): string {
  const sum = (of: (run: RunLine) => number): number => runs.reduce((total, run) => total + of(run), 0)
  const seeds = runs.map(({ seed }) => Number(seed)).sort((a, b) => a - b)
  const [operations, faults] = [sum((run) => run.operations), sum((run) => run.faults)]
  const least = (of: (run: RunLine) => number): number => Math.min(...runs.map(of))
  const processorMs = sum((run) => run.processorMs) / runs.length
  return [
    `seeds ${seeds[0]} to ${seeds.at(-1)}: ${runs.length} runs in ${seconds.toFixed(0)} s, ${processorMs.toFixed(0)} ms of processor time each,`,
    `${operations} operations (at least ${least((run) => run.operations)} each), ${faults} faults (at least ${least((run) => run.faults)} each),`,
    `${(sum(({ events }) => events) / 1000).toFixed(0)} thousand events, ${failed.length} with violations`,
  ].join(' ')
}

/** Each row a fault, each column an operation. */
export function coverageOf({ runs }: Campaign): string {
  const counts = new Map<string, Map<string, number>>()
  const operations = new Set<string>()
  for (const { pairs } of runs) {
    for (const [pair, count] of Object.entries(pairs)) {
      const [fault = '', operation = ''] = pair.split(' × ')
      operations.add(operation)
      const row = counts.get(fault) ?? new Map<string, number>()
      counts.set(fault, row)
      row.set(operation, (row.get(operation) ?? 0) + count)
    }
  }
  const columns = [...operations].sort()
  const rows = [...counts].sort(([one], [other]) => one.localeCompare(other))
  return [
    `| fault × operation | ${columns.join(' | ')} |`,
    `|---|${columns.map(() => '--:').join('|')}|`,
    ...rows.map(([fault, row]) => `| ${fault} | ${columns.map((column) => row.get(column) ?? 0).join(' | ')} |`),
  ].join('\n')
}
