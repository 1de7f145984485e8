import { hostname } from 'node:os'
import { describe, expect, it } from 'vitest'
import { SILENT_LOG } from '../../../src/lib/log.ts'
import type { ControllerParts } from '../../../src/controllers/controllers.ts'
import { identityOf, serverIdentity, serverLeases } from '../../../src/controllers/server-identity.ts'
import { type ApiWorld, NOW, openWorld } from '../../rigs/api-world.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases'

function partsOf(world: ApiWorld, clock: ManualClock): ControllerParts {
  return {
    registry: world.parts,
    resources: () => world.resources,
    gates: new Set(),
    clock,
    now: () => NOW,
    log: SILENT_LOG,
  }
}

async function runFor(
  world: ApiWorld,
  clock: ManualClock,
  { hostname: host, peerAddress }: { readonly hostname: string; readonly peerAddress?: string },
): Promise<() => Promise<void>> {
  const parts = partsOf(world, clock)
  const stop = new AbortController()
  const running = serverIdentity(parts, { hostname: host, peerAddress: () => peerAddress }).run(stop.signal)
  return async () => {
    stop.abort()
    await running
  }
}

interface Lease {
  readonly metadata: { readonly name: string; readonly labels: object }
  readonly spec: { readonly holderIdentity: string; readonly leaseDurationSeconds: number; readonly renewTime: string }
}

async function leasesOf(world: ApiWorld): Promise<readonly Lease[]> {
  const { body } = await world.send({ method: 'GET', path: LEASES })
  const items = body['items'] as readonly Lease[]
  return items.filter(({ metadata }) => metadata.name !== identityOf(hostname()))
}

/** What is under way in memory comes to rest within these turns. */
async function until(done: () => Promise<boolean>): Promise<void> {
  for (let turns = 0; turns < 1000 && !(await done()); turns++) await new Promise((resolve) => setImmediate(resolve))
}

describe('the name of a server', () => {
  it('is made from its host and always the same (P-460)', () => {
    expect(identityOf('a')).toMatch(/^apiserver-[a-z2-7]{26}$/)
    expect(identityOf('a')).toBe(identityOf('a'))
    expect(identityOf('a')).not.toBe(identityOf('b'))
  })
})

describe('a server that is there', () => {
  it('has a lease, renews it, and takes away those that ran out (W-626, P-460)', async () => {
    const world = await openWorld()
    const clock = new ManualClock()
    const label = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' }
    const lease = (name: string, labels: object, seconds: number): object => ({
      metadata: { name, labels },
      spec: {
        leaseDurationSeconds: seconds,
        renewTime: new Date(clock.now() - 60_000).toISOString().replace('Z', '000Z'),
      },
    })
    const requests = world
    for (const body of [lease('gone', label, 10), lease('here', label, 3600), lease('other', {}, 10)]) {
      await requests.send({ method: 'POST', path: LEASES, body })
    }
    const stop = await runFor(world, clock, { hostname: 'host-a' })
    await until(async () => (await leasesOf(world)).every(({ metadata }) => metadata.name !== 'gone'))
    const [own, ...others] = await leasesOf(world)
    expect(others.map(({ metadata }) => metadata.name)).toEqual(['here', 'other'])
    expect(own).toMatchObject({
      metadata: { name: identityOf('host-a'), labels: { ...label, 'kubernetes.io/hostname': 'host-a' } },
      spec: { leaseDurationSeconds: 3600 },
    })
    expect(own?.spec.holderIdentity).toMatch(new RegExp(`^${identityOf('host-a')}_[0-9a-f-]{36}$`))
    // The lease may not be waited for yet when the clock first moves.
    await until(async () => {
      clock.advance(1000)
      return (await leasesOf(world))[0]?.spec.renewTime !== own?.spec.renewTime
    })
    const renewed = (await leasesOf(world))[0]
    expect(renewed?.spec.holderIdentity).toBe(own?.spec.holderIdentity)
    expect(Date.parse(renewed!.spec.renewTime) - Date.parse(own!.spec.renewTime)).toBeGreaterThanOrEqual(10_000)
    await stop()
  })

  it('says where other replicas can ask it, for as long as they can', async () => {
    const world = await openWorld()
    const clock = new ManualClock()
    const { signal } = new AbortController()
    const parts = partsOf(world, clock)
    const name = identityOf('host-a')
    for (const peerAddress of ['10.0.0.1:6443', undefined]) {
      const stop = await runFor(world, clock, { hostname: 'host-a', ...(peerAddress && { peerAddress }) })
      await until(async () => (await serverLeases(parts, signal)).some((lease) => lease.peerAddress === peerAddress))
      const leases = (await serverLeases(parts, signal)).filter((lease) => lease.name !== identityOf(hostname()))
      expect(leases).toEqual([{ name, peerAddress, renewedAt: clock.now() }])
      await stop()
    }
  })
})
