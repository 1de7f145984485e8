import { describe, expect, it } from 'vitest'
import { SILENT_LOG } from '../../../src/lib/log.ts'
import type { ApiObject } from '../../../src/api/object.ts'
import type { Controller, ControllerParts } from '../../../src/controllers/controllers.ts'
import { Fence } from '../../../src/controllers/fence.ts'
import { LEASE, withLeaderElection } from '../../../src/controllers/leader-election.ts'
import { type ApiWorld, NOW, openWorld } from '../../rigs/api-world.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'

/** A replica that would run one controller. */
class Replica {
  readonly clock = new ManualClock()
  readonly fence = new Fence(this.clock)
  readonly world: ApiWorld
  readonly #stop = new AbortController()
  readonly #controller: Controller
  readonly #ended: Promise<void>
  /** Whether it runs its controller. */
  leads = false

  constructor(world: ApiWorld, identity: string, isGone = (_holder: string) => false) {
    this.world = world
    const parts: ControllerParts = {
      registry: this.world.parts,
      resources: () => this.world.resources,
      gates: new Set(),
      clock: this.clock,
      now: () => NOW,
      log: SILENT_LOG,
    }
    const controller: Controller = {
      name: 'one',
      run: async (signal) => {
        this.leads = true
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
        this.leads = false
      },
    }
    this.#controller = withLeaderElection([controller], { parts, identity, isGone, fence: this.fence })
    this.#ended = this.#controller.run(this.#stop.signal)
  }

  /** Moves its clock in small steps until it leads or does not. */
  async until(leads: boolean, atMostMs: number): Promise<boolean> {
    for (let passed = 0; passed <= atMostMs && this.leads !== leads; passed += 100) {
      this.clock.advance(100)
      await settled()
    }
    return this.leads === leads
  }

  /** As it is asked to when it begins to shut down. */
  async deregister(): Promise<void> {
    await this.#controller.deregister!(this.#stop.signal)
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#ended
  }
}

/** Long enough for everything that is under way in memory to come to rest. */
async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
}

async function leaseOf(world: ApiWorld): Promise<ApiObject> {
  return world.get(world.resource('leases', 'coordination.k8s.io'), LEASE.name, LEASE.namespace)
}

function specOf(lease: ApiObject): Readonly<Record<string, unknown>> {
  return lease['spec'] as Readonly<Record<string, unknown>>
}

describe('controllers under a lease (D17)', () => {
  it('run on the first replica that comes, and say so in the lease', async () => {
    const one = new Replica(await openWorld(), 'one')
    expect(await one.until(true, 1_000)).toBe(true)
    expect(specOf(await leaseOf(one.world))).toMatchObject({
      holderIdentity: 'one',
      leaseDurationSeconds: 6,
      leaseTransitions: 0,
    })
    await one.stop()
  })

  it('run at once on another where the first is known to be gone', async () => {
    const world = await openWorld()
    const gone = new Set<string>()
    const one = new Replica(world, 'one')
    await one.until(true, 1_000)
    const two = new Replica(world, 'two', (holder) => gone.has(holder))
    expect(await two.until(true, 2_000)).toBe(false)
    gone.add('one')
    expect(await two.until(true, 1_000)).toBe(true)
    await two.stop()
    await one.stop()
  })

  it('do not run on a second one as long as the first renews', async () => {
    const world = await openWorld()
    const [one, two] = [new Replica(world, 'one'), new Replica(world, 'two')]
    await one.until(true, 1_000)
    for (let second = 0; second < 20; second++) {
      one.clock.advance(1_000)
      two.clock.advance(1_000)
      await settled()
      expect(two.leads).toBe(false)
    }
    expect(one.leads).toBe(true)
    await Promise.all([one.stop(), two.stop()])
  })

  it('are taken over at once from a replica that stops', async () => {
    const world = await openWorld()
    const [one, two] = [new Replica(world, 'one'), new Replica(world, 'two')]
    await one.until(true, 1_000)
    await one.stop()
    expect(await two.until(true, 1_000)).toBe(true)
    expect(specOf(await leaseOf(two.world))).toMatchObject({ holderIdentity: 'two', leaseTransitions: 1 })
    await two.stop()
  })

  it('are taken over from a replica that shuts down while it still serves, and does not stand again', async () => {
    const world = await openWorld()
    const [one, two] = [new Replica(world, 'one'), new Replica(world, 'two')]
    await one.until(true, 1_000)
    await one.deregister()
    expect([one.leads, one.fence.isOpen]).toEqual([false, false])
    expect(specOf(await leaseOf(one.world))).toMatchObject({ holderIdentity: '' })
    expect(await one.until(true, 10_000)).toBe(false)
    expect(await two.until(true, 1_000)).toBe(true)
    await Promise.all([one.stop(), two.stop()])
  })

  it('are taken over within seconds from a replica that died', async () => {
    const world = await openWorld()
    const [one, two] = [new Replica(world, 'one'), new Replica(world, 'two')]
    await one.until(true, 1_000)
    expect(await two.until(true, 5_000)).toBe(false)
    expect(await two.until(true, 2_000)).toBe(true)
    // The dead one wakes up: its fence is closed before it has found out.
    one.clock.advance(5_000)
    expect(one.fence.isOpen).toBe(false)
    expect(await one.until(false, 3_000)).toBe(true)
    expect(two.leads).toBe(true)
    await Promise.all([one.stop(), two.stop()])
  })

  it('write nothing behind a closed fence', async () => {
    const clock = new ManualClock()
    const fence = new Fence(clock)
    const world = await openWorld()
    const store = fence.around(world.parts.store)
    const maps = world.resource('configmaps')
    const key = { resource: maps.stored, namespace: 'ns', name: 'a' }
    const write = (): Promise<unknown> =>
      store.write(
        key,
        () => {
          // Time passes while the decision is made.
          clock.advance(1_000)
          return {
            kind: 'put',
            object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', namespace: 'ns' } },
          }
        },
        new AbortController().signal,
      )
    await expect(write()).rejects.toThrow('cancelled')
    fence.openUntil(clock.now() + 500)
    await expect(write()).rejects.toThrow('cancelled')
    await expect(world.get(maps, 'a')).rejects.toThrow('not found')
    fence.openUntil(clock.now() + 5_000)
    await write()
    expect((await world.get(maps, 'a')).metadata.name).toBe('a')
  })
})
