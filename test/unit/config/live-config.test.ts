import { describe, expect, it } from 'vitest'
import { type Config, readConfig } from '../../../src/config/config.ts'
import { LIVE_FLAGS, LiveConfig } from '../../../src/config/live-config.ts'

const START = ['--in-memory', '--audit-policy-file=a.yaml']

function configWith(...args: readonly string[]): Promise<Config> {
  return readConfig([...START, ...args], {})
}

describe('a configuration that is read again', () => {
  it('that is as it was changes nothing and tells nobody', async () => {
    const live = new LiveConfig(await configWith())
    live.listen(() => expect.unreachable('nothing has changed'))
    expect(live.take(await configWith())).toEqual({ applied: [], needsRestart: [] })
  })

  it('takes what a running server can go by, and names the rest', async () => {
    const before = await configWith()
    const live = new LiveConfig(before)
    const told: (readonly [number, number])[] = []
    live.listen((now, then) => told.push([now.maxReads, then.maxReads]))
    const next = await configWith('--max-requests-inflight=7', '--secure-port=7443', '--log-level=debug')
    const taken = live.take(next)
    expect(new Set(taken.applied)).toEqual(new Set(['max-requests-inflight', 'log-level']))
    expect(taken.needsRestart).toEqual(['secure-port'])
    expect(live.current).toMatchObject({ maxReads: 7, logLevel: 'debug', securePort: before.securePort })
    expect(told).toEqual([[7, before.maxReads]])
    // What needs a restart is named until there was one; what is in effect is not.
    expect(live.take(next)).toEqual({ applied: [], needsRestart: ['secure-port'] })
    expect(told).toHaveLength(1)
  })

  it('reads the audit policy elsewhere, but does not begin or end auditing', async () => {
    const live = new LiveConfig(await configWith())
    expect(live.take(await configWith('--audit-policy-file=b.yaml')).applied).toEqual(['audit-policy-file'])
    expect(live.current.audit.policyFile).toMatch(/b\.yaml$/)
    const without = new LiveConfig(await readConfig(['--in-memory'], {}))
    expect(without.take(await configWith()).needsRestart).toEqual(['audit-policy-file'])
  })

  const OTHERS: Readonly<Record<string, string>> = {
    'log-level': 'warn',
    v: '4',
    'max-requests-inflight': '3',
    'max-mutating-requests-inflight': '3',
    'shutdown-delay-duration': '3s',
    'shutdown-send-retry-after': 'true',
    'shutdown-watch-termination-grace-period': '3s',
    'audit-policy-file': 'c.yaml',
  }

  it.each(LIVE_FLAGS)('--%s is in the record that the server goes by', async (name) => {
    const live = new LiveConfig(await configWith())
    const next = await configWith(`--${name}=${OTHERS[name]}`)
    expect(live.take(next)).toEqual({ applied: [name], needsRestart: [] })
    expect(live.current).toEqual(next)
  })
})
