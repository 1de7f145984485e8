// A machine that loses its power loses nothing that the store acknowledged, whichever of the writes that were not synced yet got to
// the disk. The writer is killed, and what it had not synced is taken back from its file, sector by sector, as chance will have it.
import { spawn } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openEmbedded } from '../../src/kv/embedded/embedded.ts'
import { dice } from '../corpora/dice.ts'
import { tempFolder } from '../rigs/temp-folder.ts'
import { listenTo, Story } from './embedded-story.ts'
import { buildJournal, cutPower, readUnsynced } from './power-cut.ts'

const never = new AbortController().signal

/** More of them: `POWER_CUTS=200 make test-robustness`. */
const POWER_CUTS = Number(process.env['POWER_CUTS'] ?? 6)
const MOST_ROUNDS = POWER_CUTS + 30
const MOST_MS_OF_CUT = 15_000
const MISSING = 'power cuts are not tested: there is no C compiler for test/robustness/unsynced-writes.c; install gcc'

interface Machine {
  readonly dataDir: string
  readonly library: string
  readonly journal: string
}

async function newMachine(): Promise<Machine | undefined> {
  const folder = await tempFolder()
  const library = await buildJournal(folder)
  return library === undefined
    ? undefined
    : { library, dataDir: join(folder, 'data'), journal: join(folder, 'journal') }
}

/** Has the writer run until it has acknowledged some writes, and for a while after. What it said. */
async function runAndKill({ dataDir, library, journal }: Machine, round: number) {
  await rm(journal, { force: true })
  const writer = join(import.meta.dirname, 'embedded-child.ts')
  const child = spawn(process.execPath, [writer, dataDir, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, LD_PRELOAD: library, JOURNALED_FILE: join(dataDir, 'data.mdb'), JOURNAL: journal },
  })
  const acknowledged = listenTo(child)
  try {
    await acknowledged.ready
    await acknowledged.some
    await new Promise((resolve) => setTimeout(resolve, (round * 37) % 150))
  } finally {
    child.kill('SIGKILL')
  }
  return acknowledged.all
}

interface Cut {
  readonly machine: Machine
  readonly story: Story
  readonly round: number
  readonly loses: () => boolean
  /** The disk has lied. */
  readonly ignoreSyncs?: boolean
}

/** The number of sectors that were lost. */
async function cutAndCheck({ machine, story, round, loses, ignoreSyncs = false }: Cut): Promise<number> {
  const said = await runAndKill(machine, round)
  const unsynced = await readUnsynced(machine.journal, ignoreSyncs)
  const lost = await cutPower(join(machine.dataDir, 'data.mdb'), unsynced, loses)
  const kv = await openEmbedded({ dataDir: machine.dataDir }, never)
  try {
    await story.check(kv, round, said)
  } finally {
    await kv.close()
  }
  return lost
}

it(`what was acknowledged is there after every one of ${POWER_CUTS} power cuts`, {
  timeout: MOST_ROUNDS * MOST_MS_OF_CUT,
}, async ({ skip }) => {
  const machine = await newMachine()
  if (machine === undefined) return skip(MISSING)
  const story = new Story()
  const roll = dice(7)
  let lost = 0
  // A store that is at rest when the power goes has nothing to lose: then there are more cuts.
  for (let round = 0; round < POWER_CUTS || (lost === 0 && round < MOST_ROUNDS); round++) {
    // From everything down to very little.
    const percent = [100, 50, 2][round % 3]!
    lost += await cutAndCheck({ machine, story, round, loses: () => roll(100) < percent })
  }
  expect(story.acknowledgements).toBeGreaterThan(POWER_CUTS)
  expect(lost).toBeGreaterThan(0)
  if (process.env['POWER_CUTS'] !== undefined)
    process.stdout.write(`${POWER_CUTS} cuts, ${story.acknowledgements} writes acknowledged, ${lost} sectors lost\n`)
})

it('a disk that loses what was synced is noticed', async ({ skip }) => {
  const machine = await newMachine()
  if (machine === undefined) return skip(MISSING)
  const cut = { machine, story: new Story(), loses: () => true }
  await cutAndCheck({ ...cut, round: 0 })
  await expect(cutAndCheck({ ...cut, round: 1, ignoreSyncs: true })).rejects.toThrow(/round-1|counter|expected/)
})
