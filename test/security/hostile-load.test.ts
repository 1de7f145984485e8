// Everybody else is served while somebody attacks: the processor is shared with the attackers, but nobody waits long for a turn, and
// what they took is given back. Here all attacks come at once; `test/reference/hostile-load.test.ts` has them one by one.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { attacksBy } from '../fakes/attacks.ts'
import { NOBODY } from '../fakes/hostile-client.ts'
import { HonestClient, quantileOf } from '../fakes/hostile-load.ts'

let client: HonestClient
let residentBefore = 0
beforeAll(async () => {
  client = await HonestClient.start()
  await client.warmUp(2000)
  // Once before it is measured: what is loaded and compiled for large bodies stays, and is not what attackers take.
  await client.getBeside({ credential: NOBODY, names: attacksBy(NOBODY).map(({ name }) => name), times: 1 })
  residentBefore = await client.residentAtRest()
}, 300_000)
afterAll(() => client?.[Symbol.asyncDispose]())

it.each([
  ['somebody without rights sends', NOBODY],
  ['strangers send', {}],
])('an object from memory is there at once, whatever %s', async (_name, credential) => {
  const names = attacksBy(credential).map(({ name }) => name)
  const taken = await client.getBeside({ credential, names, times: 2 })
  expect(quantileOf(taken, 0.9)).toBeLessThan(100)
  expect(quantileOf(taken, 0.99)).toBeLessThan(250)
})

it('what they took is given back', async () => {
  const rest = { timeout: 120_000, interval: 500 }
  await expect.poll(() => client.server.residentBytes / residentBefore, rest).toBeLessThan(1.2)
})
