import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { SEED } from '../rigs/seed.ts'
import { tempFolder } from '../rigs/temp-folder.ts'
import { fuzz, TOKEN_FILE } from './fuzz.ts'

/** The same ones on every machine, in the same order, however fast it is. */
const REQUESTS = 1500

it('made-up requests break nothing, are never answered with a fault of ours, and are held to the roles', async () => {
  const tokens = path.join(await tempFolder(), 'tokens.csv')
  writeFileSync(tokens, TOKEN_FILE)
  const report = await fuzz({ seconds: 600, requests: REQUESTS, seed: SEED, width: 1 }, tokens)
  expect(report.problems).toEqual([])
  expect(report.requests).toBe(REQUESTS)
  // The second half needs hardly more than the first.
  const half = Math.floor(report.memory.length / 2)
  expect(Math.max(...report.memory.slice(half)) - Math.max(...report.memory.slice(0, half))).toBeLessThan(150)
}, 660_000)
