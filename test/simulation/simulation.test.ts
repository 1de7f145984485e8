// A minute of simulated worlds with fresh seeds; the proof that a run depends on its seed alone; and the runs that found something once.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { campaign, summaryOf } from './campaign.ts'
import { simulate } from './processes.ts'
import { PLANTS } from './planted.ts'
import type { RunOptions, RunResult } from './run.ts'

const FOUND = path.join(path.dirname(fileURLToPath(import.meta.url)), 'found')
const SECONDS = 30

async function traceOf(options: RunOptions): Promise<readonly string[]> {
  const lines: string[] = []
  const { errors } = await simulate({ kind: 'trace', options }, (line) => lines.push(line))
  expect(errors).toBe('')
  return lines
}

it('tells the same of one seed in two processes, byte by byte', async () => {
  const [one, other] = await Promise.all([traceOf({ seed: 'twice' }), traceOf({ seed: 'twice' })])
  expect(one.length).toBeGreaterThan(300)
  expect(other).toEqual(one)
})

it('finds no violation in fresh seeds', async () => {
  const result = await campaign({ first: Date.now() % 1e9, seconds: SECONDS })
  process.stdout.write(`simulated ${summaryOf(result)}\n`)
  expect(result.failed).toEqual([])
  expect(result.runs.length).toBeGreaterThan(0)
})

const found = existsSync(FOUND) ? readdirSync(FOUND) : []
it.each(found)('what %s found is mended', async (file) => {
  const options = JSON.parse(readFileSync(path.join(FOUND, file), 'utf8')) as RunOptions
  const lines = await traceOf(options)
  const result = JSON.parse(lines.slice(lines.lastIndexOf('{')).join('\n')) as RunResult
  expect(result.violations).toEqual([])
})

it('has a place in the sources for every bug that is planted', () => {
  const top = path.join(path.dirname(fileURLToPath(import.meta.url)), '../..')
  const places = PLANTS.flatMap(({ name, patches }) =>
    patches.map(({ file, find }) => [name, readFileSync(path.join(top, file), 'utf8').split(find).length - 1]),
  )
  expect(places).toEqual(places.map(([name]) => [name, 1]))
})

it('finds a bug that was planted', async () => {
  const { failed } = await campaign({ first: 1, seconds: 120, env: { PLANT: 'watcher-starts-late' }, untilFound: true })
  expect(failed.length).toBeGreaterThan(0)
})
