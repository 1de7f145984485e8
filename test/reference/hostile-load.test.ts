// As `test/security/hostile-load.test.ts`, with each attack by itself and again and again.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attacksBy } from '../corpora/attacks.ts'
import { NOBODY } from '../fakes/hostile-client.ts'
import { HonestClient, quantileOf } from '../rigs/hostile-load.ts'

const TIMES = 20

describe.each([
  ['somebody without rights', NOBODY],
  ['strangers', {}],
])('beside %s', (_name, credential) => {
  let client: HonestClient
  let residentBefore = 0
  beforeAll(async () => {
    client = await HonestClient.start()
    await client.warmUp(10_000)
    residentBefore = client.server.residentBytes
  })
  afterAll(() => client?.[Symbol.asyncDispose]())

  it.each(attacksBy(credential).map(({ name }) => name))('%s', async (name) => {
    const taken = await client.getBeside({ credential, names: [name], times: TIMES })
    expect(quantileOf(taken, 0.9)).toBeLessThan(100)
    expect(quantileOf(taken, 0.99)).toBeLessThan(250)
  })

  it('what they took is given back', async () => {
    const rest = { timeout: 120_000, interval: 500 }
    await expect.poll(() => client.server.residentBytes / residentBefore, rest).toBeLessThan(1.2)
  })
})
