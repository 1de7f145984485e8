// Are the tests of a room any good? They run once for each mutant of a sample, which a seed draws. The survivors are printed with their
// places, without those that are known to change nothing (`equivalent-mutants.ts`). `make mutants ROOMS="patch cache"` names the rooms,
// PER_FILE the number of mutants of each file. With SIMULATE, the simulation runs for so many seconds with each survivor.
import { spawn } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseSource } from '../architecture/source.ts'
import { dice } from '../corpora/dice.ts'
import { campaign } from '../simulation/campaign.ts'
import { isEquivalent } from './equivalent-mutants.ts'
import { type Mutant, mutantsOf } from './mutants.ts'

const TOP = path.resolve(import.meta.dirname, '../..')

/** Where the tests of a room are. */
const TESTS: Readonly<Record<string, readonly string[]>> = {
  patch: ['patch'],
  registry: ['registry', 'handlers'],
  cache: ['cache'],
  auth: ['auth'],
}

const UNIT_TESTS = globSync('test/unit/**/*.test.ts', { cwd: TOP }).sort()

const AT_ONCE = 2
/** Several times what the slowest of the tests take on a busy machine: a mutant may well run for ever. */
const PATIENCE_MS = 120_000

const seed = Number(process.env['SEED'] ?? 1)
const perFile = Number(process.env['PER_FILE'] ?? 1)
const simulated = process.env['SIMULATE']

type Outcome = 'passed' | 'failed' | 'late'

/** Processes with this environment load the mutant. */
function planting(mutant: Mutant): NodeJS.ProcessEnv {
  return {
    MUTANT: JSON.stringify({ ...mutant, file: path.join(TOP, mutant.file) }),
    NODE_OPTIONS: `--import=${path.join(import.meta.dirname, 'mutated-module.ts')}`,
  }
}

function runTests(mutant: Mutant, tests: readonly string[]): Promise<Outcome> {
  const args = ['run', '--config', '.config/vitest.config.ts', '--project', 'unit', '--bail', '1', ...tests]
  const env = {
    ...process.env,
    ...planting(mutant),
    // The maker of arbitrary objects begins where it began: a mutant is not noticed by chance.
    SEED: String(seed),
  }
  const child = spawn('vitest', args, { cwd: TOP, env, stdio: 'ignore', detached: true })
  return new Promise((resolve, reject) => {
    const patience = setTimeout(() => {
      resolve('late')
      // It and the workers that it started.
      process.kill(-child.pid!, 'SIGKILL')
    }, PATIENCE_MS)
    child.once('error', reject)
    child.once('exit', (code) => {
      clearTimeout(patience)
      resolve(code === 0 ? 'passed' : 'failed')
    })
  })
}

/** The tests of the folders that load the file, directly or through others; of all others those that are about it. */
function testsOf(file: string, folders: readonly string[]): readonly string[] {
  const near = folders.map((folder) => `test/unit/${folder}/`)
  return UNIT_TESTS.filter((test) =>
    near.some((folder) => test.startsWith(folder)) ? loads(test).has(file) : importsOf(test).includes(file),
  )
}

const loaded = new Map<string, ReadonlySet<string>>()

function loads(test: string): ReadonlySet<string> {
  const known = loaded.get(test)
  if (known !== undefined) return known
  const found = new Set([test])
  for (const file of found) for (const next of importsOf(file)) found.add(next)
  loaded.set(test, found)
  return found
}

const imported = new Map<string, readonly string[]>()

function importsOf(file: string): readonly string[] {
  let known = imported.get(file)
  if (known === undefined) {
    const { imports } = parseSource(file, readFileSync(path.join(TOP, file), 'utf8'))
    const near = imports.filter((name) => name.startsWith('.') && name.endsWith('.ts'))
    known = near.map((name) => path.join(path.dirname(file), name))
    imported.set(file, known)
  }
  return known
}

function sample(file: string): readonly Mutant[] {
  const all = [...mutantsOf(file, readFileSync(path.join(TOP, file), 'utf8'))]
  const roll = dice(Buffer.from(file).reduce((sum, byte) => Math.imul(sum, 31) + byte, seed))
  const chosen: Mutant[] = []
  while (chosen.length < perFile && all.length > 0) chosen.push(...all.splice(roll(all.length), 1))
  return chosen
}

function describeMutant({ file, start, end, replacement }: Mutant): string {
  const text = readFileSync(path.join(TOP, file), 'utf8')
  const line = text.slice(0, start).split('\n').length
  return `${file}:${line}  ${text.slice(start, end)}  →  ${replacement}`.replaceAll(/\s*\n\s*/g, ' ')
}

/** A mutant that changes nothing has to pass, and one that cannot be loaded has to fail: otherwise nothing here means anything. */
async function checkRunner(file: string, tests: readonly string[]): Promise<void> {
  const same = { file, start: 0, end: 0, replacement: '' }
  if ((await runTests(same, tests)) !== 'passed') throw new Error(`the tests fail by themselves: ${tests.join(' ')}`)
  const broken = { ...same, replacement: 'throw new Error();' }
  if ((await runTests(broken, tests)) !== 'failed') throw new Error(`the tests do not load ${file}`)
}

async function judgeRoom(room: string): Promise<void> {
  const files = globSync(`src/${room}/**/*.ts`, { cwd: TOP }).sort()
  const drawn = files.flatMap(sample)
  const mutants = drawn.filter((mutant) => !isEquivalent(mutant, readFileSync(path.join(TOP, mutant.file), 'utf8')))
  const first = files.find((file) => testsOf(file, TESTS[room]!).length > 0)!
  await checkRunner(first, testsOf(first, TESTS[room]!))
  const survivors: Mutant[] = []
  const left = mutants.values()
  const worker = async (): Promise<void> => {
    for (const mutant of left) {
      const tests = testsOf(mutant.file, TESTS[room]!)
      const isNoticed = tests.length > 0 && (await runTests(mutant, tests)) !== 'passed'
      if (!isNoticed) survivors.push(mutant)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  const noticed = mutants.length - survivors.length
  const share = `${noticed} of ${mutants.length} noticed (${Math.round((100 * noticed) / mutants.length)} %)`
  const equivalent = drawn.length - mutants.length
  console.log(`${room}: ${share}${equivalent === 0 ? '' : `; ${equivalent} equivalent`}`)
  for (const mutant of survivors.sort((a, b) => (describeMutant(a) < describeMutant(b) ? -1 : 1))) {
    const found = simulated === undefined ? '' : `; simulation: ${await judgedBySimulation(mutant, Number(simulated))}`
    console.log(`  ${describeMutant(mutant)}${found}`)
  }
}

async function judgedBySimulation(mutant: Mutant, seconds: number): Promise<string> {
  const { failed, runs } = await campaign({ first: 1, seconds, env: planting(mutant), untilFound: true })
  const [first] = failed
  return first === undefined ? `not found in ${runs.length} runs` : `seed ${first.seed}, ${first.violations[0]}`
}

const wanted = process.argv.slice(2)
for (const room of wanted.length === 0 ? Object.keys(TESTS) : wanted) {
  if (TESTS[room] === undefined) throw new Error(`no mutants are made of ${room}: ${Object.keys(TESTS).join(', ')}`)
  await judgeRoom(room)
}
