// Replays what the reference server answered, on every store. Each scenario has one attempt: no answer may depend on chance.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { startEtcd } from '../fakes/etcd-server.ts'
import { newHome, startServerProcess } from '../fakes/server-process.ts'
import { StoreProcess } from '../fakes/store-process.ts'

/** What differs, in the replayer's words. */
async function differences(storeFlags: readonly string[], only = ''): Promise<string> {
  const home = await newHome()
  const tokens = path.join(home, 'tokens.csv')
  writeFileSync(
    tokens,
    'admin-token,replay-admin,replay-admin-uid,system:masters\nuser-token,replay-user,replay-user-uid\n',
  )
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
  const failures = failuresIn(await replay(server.url, only))
  await server.stop()
  return failures.join('\n')
}

async function replay(url: string, only: string): Promise<string> {
  const replayer = path.join(import.meta.dirname, 'replay.mjs')
  const args = ['verify', '--server', url, '--token', 'admin-token', '--insecure', '--verbose', '--only', only]
  const env = { ...process.env, REPLAY_USER_TOKEN: 'user-token' }
  const child = spawn(process.execPath, [replayer, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close') as Promise<[number]>])
  // It fails where scenarios do, and says which; anything else that goes wrong must not pass for nothing.
  if ((code === 0) !== (failuresIn(output).length === 0)) throw new Error(`the replay ended with ${code}: ${output}`)
  return output
}

function failuresIn(output: string): string[] {
  return output.split(/\n(?=ok |FAIL )/).filter((scenario) => scenario.startsWith('FAIL'))
}

describe('the recorded answers of the reference server', () => {
  it('are ours, in memory', async () => {
    expect(await differences(['--in-memory'])).toBe('')
  })

  it('are ours, on the embedded store', async () => {
    expect(await differences([])).toBe('')
  })

  // Reads are answered from memory as on etcd, and the store's own answers are compared to etcd's (`test/contract/served-*`).
  it('are ours for writes, on a store that is served', async () => {
    await using store = await StoreProcess.start()
    expect(await differences(['--etcd-servers', store.endpoint], 'writes')).toBe('')
  })

  it('are ours, on etcd', async () => {
    await using etcd = await startEtcd()
    expect(await differences(['--etcd-servers', etcd.endpoint])).toBe('')
  })
})
