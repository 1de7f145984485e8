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

async function replay(storeFlags: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
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
  const folder = folderOf(
    home,
    allScenarios().filter((name) => !skipped.has(name)),
  )
  const child = spawn(
    process.execPath,
    [
      path.join(HERE, 'replay.mjs'),
      'verify',
      '--server',
      server.url,
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
  await server.stop()
  return { code, output }
}

function failuresIn(output: string): string {
  const scenarios = output.split(/\n(?=ok |FAIL )/)
  return scenarios.filter((scenario) => scenario.startsWith('FAIL')).join('\n')
}

describe('the recorded answers of the reference server', () => {
  it('are listed as not yet given only where there is such a scenario', () => {
    const known = new Set(allScenarios())
    expect([...notYet()].filter(([name, reason]) => !known.has(name) || reason === '')).toEqual([])
  })

  it('are ours, in memory', async () => {
    const { code, output } = await replay(['--in-memory'])
    expect(failuresIn(output)).toBe('')
    expect(code).toBe(0)
  })

  it('are ours, on the embedded store', async () => {
    const { code, output } = await replay([])
    expect(failuresIn(output)).toBe('')
    expect(code).toBe(0)
  })

  it('are ours, on etcd', async () => {
    await using etcd = await startEtcd()
    const { code, output } = await replay(['--etcd-servers', etcd.endpoint])
    expect(failuresIn(output)).toBe('')
    expect(code).toBe(0)
  })
})
