// The memory that attackers took is given back. The server does so when it rests, which takes a minute and a half;
// `test/security/hostile-load.test.ts` has what everybody else notices meanwhile.
import { expect, it } from 'vitest'
import { attacksBy } from '../corpora/attacks.ts'
import { NOBODY } from '../fakes/hostile-client.ts'
import { HonestClient } from '../rigs/hostile-load.ts'

it('what attackers took is given back', async () => {
  await using client = await HonestClient.start()
  await client.warmUp(2000)
  const attack = async (credential: typeof NOBODY | Record<string, never>, times: number): Promise<void> =>
    void (await client.getBeside({ credential, names: attacksBy(credential).map(({ name }) => name), times }))
  // Once before it is measured: what is loaded and compiled for large bodies stays, and is not what attackers take.
  await attack(NOBODY, 1)
  const before = await client.residentAtRest()
  await attack(NOBODY, 2)
  await attack({}, 2)
  const rest = { timeout: 120_000, interval: 500 }
  await expect.poll(() => client.server.residentBytes / before, rest).toBeLessThan(1.2)
})
