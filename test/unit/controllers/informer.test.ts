import { describe, expect, it, onTestFinished } from 'vitest'
import { metaText } from '../../../src/api/object-members.ts'
import type { Store, Watch } from '../../../src/store/store.ts'
import { openWorld } from '../../rigs/api-world.ts'
import { changedStore } from '../../fakes/changed-store.ts'
import { runInformer } from '../../../src/controllers/informer.ts'

/** A store whose watches can be broken off, and that waits before it begins another. */
class BreakableStore {
  readonly store: Store
  #broken = Promise.withResolvers<void>()
  #mayGoOn = Promise.resolve()
  /** A watch breaks by itself after so many objects of its state. */
  breaksAfter = Number.POSITIVE_INFINITY

  constructor(store: Store) {
    this.store = changedStore(store, {
      watch: async (request, signal) => {
        await this.#mayGoOn
        return this.#until(await store.watch(request, signal), this.#broken.promise)
      },
    })
  }

  /** Breaks every watch; what is done meanwhile is done during the break. */
  async during(work: () => Promise<void>): Promise<void> {
    const done = Promise.withResolvers<void>()
    this.#mayGoOn = done.promise
    this.#broken.resolve()
    this.#broken = Promise.withResolvers()
    await work()
    done.resolve()
  }

  async *#until(watch: Watch, broken: Promise<void>): Watch & AsyncGenerator<never> {
    const events = watch[Symbol.asyncIterator]()
    let told = 0
    for (;;) {
      const next = await Promise.race([events.next(), broken])
      if (next === undefined || next.done === true) break
      for (const event of next.value) {
        if (told++ >= this.breaksAfter) return
        yield [event] as never
      }
    }
    await events.return?.()
  }
}

async function open() {
  const world = await openWorld()
  const maps = world.resource('limitranges')
  const breakable = new BreakableStore(world.parts.store)
  const told: string[] = []
  const stop = new AbortController()
  const run = (): void => {
    const running = runInformer(
      breakable.store,
      maps,
      {
        onPresent: (object) => void told.push(`present ${nameOf(object)}`),
        onGone: (object, isCertain) => void told.push(`gone ${nameOf(object)}${isCertain ? '' : ' perhaps'}`),
        onSynced: () => void told.push('synced'),
      },
      stop.signal,
    )
    onTestFinished(async () => {
      stop.abort()
      await running
    })
  }
  const uids = new Map<string, string>()
  const nameOf = (object: { readonly name: string; object(): Parameters<typeof metaText>[0] }): string => {
    const uid = metaText(object.object(), 'uid')
    if (!uids.has(uid))
      uids.set(uid, `${object.name}${[...uids.values()].filter((name) => name.startsWith(object.name)).length + 1}`)
    return uids.get(uid)!
  }
  // The informer reads the cache, which a read of the object brings up to date.
  const seen = (name: string): Promise<unknown> => world.get(maps, name).catch(() => undefined)
  const make = async (name: string): Promise<void> => {
    await world.create(maps, { metadata: { name } })
    await seen(name)
  }
  const remove = async (name: string): Promise<void> => {
    await world.delete(maps, name)
    await seen(name)
  }
  return { breakable, told, run, make, remove }
}

describe('following a type over a break', () => {
  it('tells what went meanwhile', async () => {
    const { breakable, told, run, make, remove } = await open()
    await make('a')
    await make('b')
    run()
    await expect.poll(() => told, { interval: 1 }).toEqual(['present a1', 'present b1', 'synced'])
    told.length = 0
    await breakable.during(() => remove('a'))
    await expect.poll(() => told, { interval: 1 }).toEqual(['present b1', 'gone a1', 'synced'])
  })

  it('tells that an object is another one, the old one first', async () => {
    const { breakable, told, run, make, remove } = await open()
    await make('a')
    run()
    await expect.poll(() => told, { interval: 1 }).toEqual(['present a1', 'synced'])
    told.length = 0
    await breakable.during(async () => {
      await remove('a')
      await make('a')
    })
    await expect.poll(() => told, { interval: 1 }).toEqual(['gone a1', 'present a2', 'synced'])
  })

  it('tells what went that was told of before a state was complete', async () => {
    const { breakable, told, run, make, remove } = await open()
    await make('a')
    await make('b')
    breakable.breaksAfter = 1
    run()
    await expect.poll(() => told, { interval: 1 }).toContain('present a1')
    await breakable.during(async () => {
      breakable.breaksAfter = Number.POSITIVE_INFINITY
      await remove('a')
    })
    await expect.poll(() => told.slice(-3), { interval: 1 }).toEqual(['present b1', 'gone a1', 'synced'])
  })
})
