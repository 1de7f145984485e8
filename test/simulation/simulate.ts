// `make simulate`: fresh seeds for SECONDS on every core; what fails is shrunk and kept as a test. `make simulate SEED=7` tells all that
// happens in one run, which depends on the seed and the sources alone.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { campaign, coverageOf, summaryOf } from './campaign.ts'
import { simulate } from './processes.ts'

const { SEED, SECONDS = '60', FIRST, PLANT } = process.env
const FOUND = path.join(path.dirname(fileURLToPath(import.meta.url)), 'found')

const say = (line: string): void => void process.stdout.write(`${line}\n`)

async function one(seed: string): Promise<number> {
  const { code, errors } = await simulate({ kind: 'trace', options: { seed } }, say)
  process.stderr.write(errors)
  return code
}

async function many(): Promise<number> {
  const first = Number(FIRST ?? Date.now() % 1e9)
  const result = await campaign({ first, seconds: Number(SECONDS) })
  say(summaryOf(result))
  say(coverageOf(result))
  for (const { seed, violations } of result.failed) {
    say(`seed ${seed}:`)
    for (const violation of violations.slice(0, 5)) say(`  ${violation}`)
    if (PLANT === undefined) await keep(seed)
  }
  return result.failed.length === 0 ? 0 : 1
}

/** With as few faults as it takes; `simulation.test.ts` runs it from then on. */
async function keep(seed: string): Promise<void> {
  let options = JSON.stringify({ seed })
  await simulate({ kind: 'shrink', options: { seed } }, (line) => (options = line))
  mkdirSync(FOUND, { recursive: true })
  const file = path.join(FOUND, `${seed}.json`)
  writeFileSync(file, `${options}\n`)
  say(`  kept in ${file}: ${options}`)
}

process.exitCode = SEED === undefined ? await many() : await one(SEED)
