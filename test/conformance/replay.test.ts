// Replays what the reference server answered, on every store, and at every level of the API. Each scenario has one attempt: no answer may depend on chance.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { API_LEVELS, DEFAULT_LEVEL } from '../../src/api/level.ts'
import { startEtcd } from '../rigs/etcd-server.ts'
import { differingScenarios, type Replayed, REPLAY_TOKENS } from '../rigs/replay.ts'
import { newHome, startServerProcess } from '../rigs/server-process.ts'
import { StoreProcess } from '../rigs/store-process.ts'
import { IS_WHOLE } from '../rigs/whole.ts'

/** In memory and at the newest level all scenarios run. Elsewhere they run in `make test-conformance`. */
const PART: Replayed = IS_WHOLE ? {} : { only: 'update' }

/** What differs, in the replayer's words. */
async function differences(storeFlags: readonly string[], replayed: Replayed = {}): Promise<string> {
  const home = await newHome()
  const tokens = path.join(home, 'tokens.csv')
  writeFileSync(tokens, REPLAY_TOKENS)
  const server = await startServerProcess(
    [
      ...storeFlags,
      '--token-auth-file',
      tokens,
      '--authorization-mode',
      'Node,RBAC',
      '--service-account-issuer',
      'https://kubernetes.default.svc.cluster.local',
      '--service-cluster-ip-range',
      '10.96.0.0/16',
      // As it was recorded.
      '--disable-admission-plugins',
      'NodeRestriction',
    ],
    home,
  )
  const differing = await differingScenarios(server.url, replayed)
  await server.stop()
  return differing.join('\n')
}

describe('the recorded answers of the reference server', () => {
  it.each(API_LEVELS)('are ours, in memory, at level %s', async (level) => {
    const isDiffering = level !== DEFAULT_LEVEL && !IS_WHOLE
    expect(await differences(['--in-memory', '--emulated-version', level], { level, isDiffering })).toBe('')
  })

  it('are ours, on the embedded store', async () => {
    expect(await differences([], PART)).toBe('')
  })

  it('are ours, on a store that is served', async () => {
    await using store = await StoreProcess.start()
    expect(await differences(['--etcd-servers', store.endpoint], PART)).toBe('')
  })

  it('are ours, where every write runs in a thread of its own', async () => {
    expect(await differences(['--in-memory', '--in-place-milliseconds', '0'], PART)).toBe('')
  })

  // Two workers are two replicas.
  it('are ours, from two workers', async () => {
    expect(await differences(['--in-memory', '--workers', '2'], PART)).toBe('')
  })

  it('are ours, on etcd', async () => {
    await using etcd = await startEtcd()
    expect(await differences(['--etcd-servers', etcd.endpoint], PART)).toBe('')
  })
})
