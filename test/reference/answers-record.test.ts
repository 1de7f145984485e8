// Replays the scenarios on kube-apiserver of every level, which has to answer as it was recorded. RECORD=1 records them anew; of a later
// level, that is what differs from the level before.
import { describe, expect, it } from 'vitest'
import { API_LEVELS, type ApiLevel } from '../../src/api/level.ts'
import { startEtcd } from '../rigs/etcd-server.ts'
import { differingScenarios, recordScenarios, type Replayed } from '../rigs/replay.ts'
import { startReplayedReference } from '../rigs/replayed-reference.ts'

/** The reference no longer follows the parameters of policies once a policy that had parameters of the kind is gone. */
const ON_ITS_OWN = 'platform/policy-parameters'

async function differing(level: ApiLevel, part: Replayed): Promise<readonly string[]> {
  await using etcd = await startEtcd()
  const { url } = await startReplayedReference(etcd.endpoint, level)
  const replayed: Replayed = { ...part, level, isReference: true }
  if (process.env['RECORD'] === '1') await recordScenarios(url, replayed)
  let different = await differingScenarios(url, replayed)
  // Some of its answers depend on chance: how far the controller of quotas is, and which of two faults it tells.
  for (let again = 0; again < 3 && different.length > 0; again++) {
    const names = different.map((scenario) => /^FAIL (\S+)/.exec(scenario)![1]!)
    const rounds: string[] = []
    for (const only of names) rounds.push(...(await differingScenarios(url, { ...replayed, only })))
    different = rounds
  }
  return different
}

describe.each(API_LEVELS)('kube-apiserver of level %s', (level) => {
  it('answers as it was recorded', async () => {
    expect(await differing(level, { except: ON_ITS_OWN })).toEqual([])
  })

  it('answers as it was recorded where each policy is the first', async () => {
    expect(await differing(level, { only: ON_ITS_OWN })).toEqual([])
  })
})
