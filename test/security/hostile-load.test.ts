// Everybody else is served while somebody attacks: the processor is shared with the attackers, but nobody waits long for a turn. Here
// all attacks come at once; `test/reference/hostile-load.test.ts` has them one by one, and `test/long/hostile-load.test.ts` shows that
// the memory that they took is given back.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { attacksBy } from '../corpora/attacks.ts'
import { NOBODY } from '../fakes/hostile-client.ts'
import { HonestClient, quantileOf } from '../rigs/hostile-load.ts'

let client: HonestClient
beforeAll(async () => {
  client = await HonestClient.start()
  await client.warmUp(2000)
  // Once before it is measured: what is loaded and compiled for large bodies is not what attackers cost.
  await client.getBeside({ credential: NOBODY, names: attacksBy(NOBODY).map(({ name }) => name), times: 1 })
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
