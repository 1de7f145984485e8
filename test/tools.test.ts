// The programs that other tests need are made while the unit tests run; only then do the others begin (`.config/vitest.config.ts`).
import { setPriority } from 'node:os'
import { it } from 'vitest'
import { prepare } from './prepare.ts'

it('the programs that tests need can be had', async () => {
  // The unit tests, some of which measure, go first.
  setPriority(10)
  const fault = await prepare()
  if (fault !== undefined) throw new Error(fault)
})
