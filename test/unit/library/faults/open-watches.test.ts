// A watch with faults, read as the handler of watches reads it: it follows while it can and iterates otherwise.
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { WatchEvent } from '../../../../src/api/read.ts'
import type { FaultSpec, WatchSpec } from '../../../../src/library/faults/fault-spec.ts'
import { InjectedFault } from '../../../../src/library/faults/injected-fault.ts'
import { OpenWatches } from '../../../../src/library/faults/open-watches.ts'
import type { ResourceInfo } from '../../../../src/http/request-info.ts'
import { systemClock } from '../../../../src/lib/clock.ts'
import { builtInGroups } from '../../../../src/schema/built-in-resources.ts'
import type { Watch } from '../../../../src/store/store.ts'
import { dice } from '../../../corpora/dice.ts'
import { SEED } from '../../../rigs/seed.ts'
import { openCacheForTest } from '../../cache/open-cache.ts'
import { ANYBODY, fakeRequest } from '../../http/fake-request.ts'

class Scene {
  readonly watches = new OpenWatches({ groups: builtInGroups, clock: systemClock })
  readonly told: number[] = []
  readonly client = new AbortController()
  /** How the watch ended: an error, or undefined for a clean end. */
  ended: Promise<unknown> | undefined
  isBroken = false

  open(watch: Watch): void {
    const http = fakeRequest('GET /api/v1/configmaps?watch=1', {
      signal: this.client.signal,
      breakOff: () => {
        this.isBroken = true
      },
    })
    const wrapped = this.watches.wrap({ http, caller: ANYBODY, info: http.info as ResourceInfo }, watch)
    this.ended = this.#pump(wrapped).catch((error: unknown) => error)
  }

  inject(spec: WatchSpec): InjectedFault<WatchSpec> {
    const fault = new InjectedFault(JSON.stringify(spec satisfies FaultSpec), spec, () => undefined)
    this.watches.add(fault)
    return fault
  }

  async #pump(watch: Watch): Promise<void> {
    const take = (event: WatchEvent): boolean => {
      if (event.type !== 'BOOKMARK') this.told.push(event.object.revision)
      return this.told.length % 3 > 0
    }
    const turns = watch[Symbol.asyncIterator]()
    for (;;) {
      while (watch.follow !== undefined && !(await watch.follow(take))) await setImmediate()
      const { done, value } = await turns.next()
      if (done === true) return
      for (const event of value) take(event)
    }
  }
}

async function rest(): Promise<void> {
  for (let i = 0; i < 20; i++) await setImmediate()
}

describe('a watch', () => {
  it('misses nothing and repeats nothing while faults come and go', async () => {
    await using cache = await openCacheForTest()
    const scene = new Scene()
    scene.open(await cache.watch())
    const roll = dice(SEED)
    const written: number[] = []
    let faults: readonly InjectedFault<WatchSpec>[] = []
    const specs: readonly WatchSpec[] = [
      { fault: 'freezeWatches' },
      { fault: 'slowWatches', milliseconds: 1 },
      // More than are ever written.
      { fault: 'dropEvents', events: 10_000 },
    ]
    for (let i = 0; i < 400; i++) {
      if (roll(4) > 0) written.push(await cache.put(`o-${roll(5)}`, i))
      const chance = roll(6)
      if (chance === 0) faults = [...faults, scene.inject(specs[roll(specs.length)]!)]
      if (chance === 1) {
        faults[0]?.remove()
        faults = faults.slice(1)
      }
      if (roll(5) === 0) await setImmediate()
    }
    for (const fault of faults) fault.remove()
    await expect.poll(() => scene.told.length).toBe(written.length)
    expect(scene.told).toEqual(written)
  })

  it('that is frozen does not end before it is thawed', async () => {
    await using cache = await openCacheForTest()
    const scene = new Scene()
    const stop = new AbortController()
    scene.open(await cache.watch(undefined, '', stop.signal))
    const frozen = scene.inject({ fault: 'freezeWatches' })
    const revision = await cache.put('a')
    await rest()
    stop.abort()
    await rest()
    let isOver = false
    void scene.ended?.then(() => (isOver = true))
    await rest()
    expect([isOver, scene.told]).toEqual([false, []])
    frozen.remove()
    expect(await scene.ended).toMatchObject({ name: 'CancelledError' })
    expect(scene.told).toEqual([revision])
  })

  it('that is frozen ends where its client goes', async () => {
    await using cache = await openCacheForTest()
    const scene = new Scene()
    scene.open(await cache.watch())
    scene.inject({ fault: 'freezeWatches' })
    await cache.put('a')
    await rest()
    scene.client.abort()
    expect(await scene.ended).toMatchObject({ name: 'CancelledError' })
    expect(scene.told).toEqual([])
  })

  it('that loses events tells from where on they are gone', async () => {
    await using cache = await openCacheForTest()
    const scene = new Scene()
    scene.open(await cache.watch())
    const first = await cache.put('a')
    await rest()
    const loss = scene.inject({ fault: 'dropEvents', events: 3 })
    const lost = [await cache.put('a', 1), await cache.put('b'), await cache.put('c')]
    const error = await scene.ended
    expect(error).toMatchObject({ reason: 'Expired', message: `too old resource version: ${first} (${lost[2]})` })
    expect([scene.told, loss.hits]).toEqual([[first], 1])
  })

  it('breaks off, and only what is open', async () => {
    await using cache = await openCacheForTest()
    const scene = new Scene()
    expect(scene.inject({ fault: 'cutWatches' }).hits).toBe(0)
    scene.open(await cache.watch())
    expect(scene.isBroken).toBe(false)
    expect(scene.inject({ fault: 'cutWatches', match: { resource: 'pods' } }).hits).toBe(0)
    expect(scene.inject({ fault: 'cutWatches', match: { resource: 'configmaps' } }).hits).toBe(1)
    expect(scene.isBroken).toBe(true)
  })
})
