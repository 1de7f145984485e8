// Server-side apply as scripts (`scripts/*.txt`; `apply-script.ts` says how they read), through the whole way of a request.
// Covers W-238, W-243 to W-246, W-249, W-250, W-254, W-262, W-263, W-266, W-280 to W-284, W-288,
// W-638, D31.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { ValueMap } from '../../../src/api/value.ts'
import { openWorld } from '../../rigs/api-world.ts'
import type { Script } from './apply-script.ts'
import { ownersOf, parseScripts, runScript, valueAt } from './apply-script.ts'

const FOLDER = new URL('scripts/', import.meta.url)
const FILES = readdirSync(FOLDER).map(
  (file) => [file, parseScripts(readFileSync(new URL(file, FOLDER), 'utf8'))] as const,
)

describe.each(FILES)('%s', async (_file, scripts) => {
  // Many owners in the scripts are not there.
  const requests = await openWorld({ controllersOff: ['garbage-collector'] })

  it.each(scripts.map((script, index) => [script.title, script, `s${index}`] as const))(
    '%s',
    async (_title, script, name) => {
      const { object, refusals, again } = await runScript(requests, script, name)
      for (const [index, { refusal, who, verb }] of script.steps.entries()) {
        if (refusal === undefined) expect(refusals[index], `${who} ${verb}`).toBeUndefined()
        else expect(refusals[index], `${who} ${verb}`).toContain(refusal)
      }
      for (const [path, expected] of script.values) expect(valueAt(object, path), path).toEqual(expected)
      expect(ownersOf(object)).toEqual(script.owners)
      await expectNothingNew(script, object, again)
    },
  )
})

/** The last apply, sent again, changes nothing: not the object, not its owners, not its version. */
async function expectNothingNew(
  script: Script,
  object: ValueMap,
  again: (step: Script['steps'][number]) => Promise<ValueMap>,
): Promise<void> {
  const last = script.steps.at(-1)
  if (last === undefined || (last.verb !== 'applies' && last.verb !== 'forces') || last.refusal !== undefined) return
  expect(await again(last)).toEqual(object)
}

it('there are many of them, and no two are called the same', () => {
  const titles = FILES.flatMap(([, scripts]) => scripts.map(({ title }) => title))
  expect(new Set(titles).size).toBe(titles.length)
  expect(titles.length).toBeGreaterThanOrEqual(150)
})
