// Replays what the reference server answered, on every store. The scenarios that we cannot pass yet are listed, each with its
// reason, in `not-yet.txt`; every other one must pass.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { startEtcd } from '../fakes/etcd-server.ts'
import { newHome, startServerProcess } from '../fakes/server-process.ts'

const HERE = import.meta.dirname
const SCENARIOS = path.join(HERE, 'scenarios')
const SUFFIX = '.scenario.mjs'

function allScenarios(): string[] {
  return globSync(`*/*${SUFFIX}`, { cwd: SCENARIOS }).map((file) => file.slice(0, -SUFFIX.length))
}

/** By name, with the reason. */
function notYet(): Map<string, string> {
  const lines = readFileSync(path.join(HERE, 'not-yet.txt'), 'utf8').split('\n')
  return new Map(
    lines
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.split(/\s+(.*)/, 2) as [string, string]),
  )
}

/** A folder that holds just these scenarios. */
function folderOf(home: string, names: readonly string[]): string {
  const folder = path.join(home, 'scenarios')
  for (const name of names) {
    mkdirSync(path.join(folder, path.dirname(name)), { recursive: true })
    for (const suffix of [SUFFIX, '.recorded.json']) {
      if (existsSync(path.join(SCENARIOS, name + suffix))) {
        symlinkSync(path.join(SCENARIOS, name + suffix), path.join(folder, name + suffix))
      }
    }
  }
  return folder
}

/**
 * What differs, in the replayer's words. Some answers depend on whether the clock goes on to the next second between two
 * requests: managed fields are in the order of their times. So a scenario that differs is tried again before it counts.
 */
async function differences(storeFlags: readonly string[]): Promise<string> {
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
    ],
    home,
  )
  const skipped = notYet()
  let names = allScenarios().filter((name) => !skipped.has(name))
  let failures: readonly string[] = []
  for (let attempt = 1; attempt <= ATTEMPTS && names.length > 0; attempt++) {
    failures = failuresIn(await replay(server.url, folderOf(path.join(home, String(attempt)), names)))
    names = failures.map((failure) => failure.split(' ')[1] ?? '')
  }
  await server.stop()
  return failures.join('\n')
}

const ATTEMPTS = 4

async function replay(url: string, folder: string): Promise<string> {
  const child = spawn(
    process.execPath,
    [
      path.join(HERE, 'replay.mjs'),
      'verify',
      '--server',
      url,
      '--token',
      'admin-token',
      '--insecure',
      '--dir',
      folder,
      '--verbose',
    ],
    { env: { ...process.env, REPLAY_USER_TOKEN: 'user-token' }, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close') as Promise<[number]>])
  // It fails where scenarios do, and says which; anything else that goes wrong must not pass for nothing.
  if ((code === 0) !== (failuresIn(output).length === 0)) throw new Error(`the replay ended with ${code}: ${output}`)
  return output
}

function failuresIn(output: string): string[] {
  return output.split(/\n(?=ok |FAIL )/).filter((scenario) => scenario.startsWith('FAIL'))
}

describe('the recorded answers of the reference server', () => {
  it('are listed as not yet given only where there is such a scenario', () => {
    const known = new Set(allScenarios())
    expect([...notYet()].filter(([name, reason]) => !known.has(name) || reason === '')).toEqual([])
  })

  it('are ours, in memory', async () => {
    expect(await differences(['--in-memory'])).toBe('')
  })

  it('are ours, on the embedded store', async () => {
    expect(await differences([])).toBe('')
  })

  it('are ours, on etcd', async () => {
    await using etcd = await startEtcd()
    expect(await differences(['--etcd-servers', etcd.endpoint])).toBe('')
  })
})
