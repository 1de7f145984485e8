// A process that is killed at any moment loses nothing that it acknowledged, leaves nothing half done, and never gives a
// revision that was seen to something else.
import { spawn } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openEmbedded } from '../../src/kv/embedded/embedded.ts'
import { tempFolder } from '../rigs/temp-folder.ts'
import { IS_WHOLE } from '../rigs/whole.ts'
import { listenTo, Story } from './embedded-story.ts'

const never = new AbortController().signal

/** More of them: `KILLS=1000 make test-robustness`. */
const KILLS = Number(process.env['KILLS'] ?? (IS_WHOLE ? 20 : 8))

/** What a store is left with is read after each kill: with more it would take the longer the more there were. */
const KILLS_OF_STORE = 50
const MOST_MS_OF_KILL = 15_000

it(`what was acknowledged is there after every one of ${KILLS} kills`, {
  timeout: KILLS * MOST_MS_OF_KILL,
}, async () => {
  let acknowledgements = 0
  for (let killed = 0; killed < KILLS; killed += KILLS_OF_STORE) {
    acknowledgements += await killAgainAndAgain(Math.min(KILLS_OF_STORE, KILLS - killed), killed)
  }
  expect(acknowledgements).toBeGreaterThan(KILLS)
  if (process.env['KILLS'] !== undefined)
    process.stdout.write(`${KILLS} kills, ${acknowledgements} writes acknowledged\n`)
})

/** Of one store; `before` others have been killed already. The number of writes that were acknowledged. */
async function killAgainAndAgain(times: number, before: number): Promise<number> {
  const dataDir = await tempFolder()
  const story = new Story()
  for (let round = 0; round < times; round++) {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'embedded-child.ts'), dataDir, String(round)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const acknowledged = listenTo(child)
    try {
      await acknowledged.ready
      if (round === 0) {
        const message = `the data directory ${dataDir} is in use by process ${child.pid}`
        await expect(openEmbedded({ dataDir }, never)).rejects.toMatchObject({ code: 'unavailable', message })
      }
      // Spread over the opening, the first commits, a steady state and compactions.
      await new Promise((resolve) => setTimeout(resolve, ((before + round) * 37) % 250))
    } finally {
      child.kill('SIGKILL')
    }
    const said = await acknowledged.all
    const kv = await openEmbedded({ dataDir }, never)
    try {
      await story.check(kv, round, said)
    } finally {
      await kv.close()
    }
  }
  await rm(dataDir, { recursive: true })
  return story.acknowledgements
}
