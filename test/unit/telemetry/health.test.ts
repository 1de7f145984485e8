import { describe, expect, it } from 'vitest'
import { healthChecks } from '../../../src/telemetry/health.ts'

function checksOf({ starting = false, stopping = false, loaded = true } = {}) {
  const lifecycle = { isStarting: () => starting, isStopping: () => stopping }
  return healthChecks({
    checkStorage: () => Promise.resolve(),
    probeMs: { health: 2000, readiness: 2000 },
    lifecycle,
    isLoaded: () => loaded,
    more: [],
  })
}

const HOOKS = ['poststarthook/rbac/bootstrap-roles', 'poststarthook/storage-readiness', 'autoregister-completion']

const rows: readonly (readonly [
  endpoint: 'healthz' | 'livez' | 'readyz',
  has: readonly string[],
  lacks: readonly string[],
])[] = [
  ['healthz', ['loopback-serving-certificate', ...HOOKS], ['etcd-readiness', 'informer-sync', 'shutdown']],
  ['livez', ['loopback-serving-certificate', ...HOOKS], ['etcd-readiness', 'informer-sync', 'shutdown']],
  ['readyz', ['etcd-readiness', 'informer-sync', ...HOOKS, 'shutdown'], ['loopback-serving-certificate']],
]

describe('the checks (R-335, R-337, P-243)', () => {
  it.each(rows)('of %s', (endpoint, has, lacks) => {
    const names = checksOf()[endpoint].map(({ name }) => name)
    expect(names.slice(0, 2)).toEqual(['ping', 'log'])
    expect(new Set(names).size).toBe(names.length)
    expect(names).toEqual(expect.arrayContaining(['etcd', ...has]))
    for (const name of lacks) expect(names).not.toContain(name)
  })

  it.each([
    ['starting', 'poststarthook/rbac/bootstrap-roles', { starting: true }],
    ['not loaded', 'informer-sync', { loaded: false }],
    ['stopping', 'shutdown', { stopping: true }],
  ])('fail while %s: %s', (_, name, state) => {
    const find = (all: ReturnType<typeof checksOf>) => all.readyz.find((one) => one.name === name)!
    const { signal } = new AbortController()
    expect(() => find(checksOf()).check(signal, new Set())).not.toThrow()
    expect(() => find(checksOf(state)).check(signal, new Set())).toThrow()
  })
})
