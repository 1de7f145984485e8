// The long run (`make robustness SECONDS=3600 SEED=1`): faults at random for so long, a line for each, and a table at its end. Ends with an
// error at the first window in which something does not fit, and leaves what was written down of it in a file.
import { tmpdir } from 'node:os'
import path from 'node:path'
import { inspect } from 'node:util'
import { dice } from '../../corpora/dice.ts'
import { possibleFaults } from './faults.ts'
import { Run } from './run.ts'
import { World } from './world.ts'

const RUN_SECONDS = Number(process.env['RUN_SECONDS'] ?? 3600)
const SEED = Number(process.env['SEED'] ?? 1)
const WINDOW_MS = 20_000

const file = path.join(tmpdir(), `quarterdeck-robustness-${SEED}.json`)
const say = (line: string): void => void process.stdout.write(`${line}\n`)

async function go(world: World): Promise<boolean> {
  const { faults, lacking } = await possibleFaults(world)
  for (const line of lacking) say(line)
  await using run = await Run.start(world, { seed: SEED, file })
  const roll = dice(SEED + 2)
  const start = performance.now()
  const seconds = (): string => ((performance.now() - start) / 1000).toFixed(0).padStart(4)
  let checkedAt = start
  for (let number = 1; performance.now() - start < RUN_SECONDS * 1000 && run.violations.length === 0; number++) {
    const fault = faults[roll(faults.length)]!
    try {
      say(`${seconds()} s  #${number} ${await run.suffer(fault)}`)
    } catch (error) {
      run.violations.push(`recovery: after ${fault.sort}: ${inspect(error)}`)
      break
    }
    if (performance.now() - checkedAt < WINDOW_MS) continue
    await run.check()
    checkedAt = performance.now()
  }
  if (run.violations.length === 0) await run.check()
  for (const violation of run.violations.slice(0, 50)) say(`VIOLATION ${violation}`)
  const minutes = ((performance.now() - start) / 60_000).toFixed(1)
  say(
    `\n${run.tally.faults} faults of ${run.tally.sorts} sorts in ${minutes} minutes, seed ${SEED}: ${run.violations.length} violations`,
  )
  say(run.tally.table())
  if (run.violations.length > 0) say(`what was written down is in ${file}`)
  return run.violations.length === 0
}

const world = await World.start()
try {
  if (!(await go(world))) process.exitCode = 1
} finally {
  await world[Symbol.asyncDispose]()
}
