// Caches of forks share what they have with the cache of the original, and neither ever shows what is written to the other.
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseFieldSelector } from '../../../src/api/selector-fields.ts'
import { parseLabelSelector } from '../../../src/api/selector-text.ts'
import { openWatchCache, type WatchCache, type WatchCacheOptions } from '../../../src/cache/cache.ts'
import { type MemoryKv, openMemory } from '../../../src/kv/embedded/memory.ts'
import { openKvStore } from '../../../src/store/kv-store.ts'
import type { ListRequest, Store } from '../../../src/store/store.ts'
import { nodes, pods } from '../../corpora/stored-resources.ts'

const never = new AbortController().signal
const NEWEST = { kind: 'latest' } as const

class Opened implements AsyncDisposable {
  readonly kv: MemoryKv
  readonly cache: WatchCache
  readonly errors: unknown[] = []
  readonly #stop = new AbortController()
  readonly #running: Promise<void>

  constructor(kv: MemoryKv, options: Partial<WatchCacheOptions> = {}) {
    this.kv = kv
    const onError = (error: unknown): void => void this.errors.push(error)
    this.cache = openWatchCache({ store: openKvStore({ kv }), resources: [pods], onError, ...options })
    this.#running = this.cache.run(this.#stop.signal)
  }

  /** As a server is forked: at any moment, without waiting for anything. */
  fork(): Opened {
    return new Opened(this.kv.fork(), { shared: this.cache.share() })
  }

  async put(name: string, labels: Record<string, string> = {}, nodeName = 'n'): Promise<number> {
    const metadata = { name, namespace: 'd', labels }
    const object = { kind: 'Pod', apiVersion: 'v1', metadata, spec: { nodeName } }
    const key = { resource: pods, namespace: 'd', name }
    return (await this.cache.write(key, () => ({ kind: 'put', object }), never)).object!.revision
  }

  async remove(name: string): Promise<void> {
    await this.cache.write({ resource: pods, namespace: 'd', name }, () => ({ kind: 'remove' }), never)
  }

  names(more: Partial<ListRequest> = {}): Promise<readonly string[]> {
    return listed(this.cache, more)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#running
    await this.kv.close()
  }
}

async function listed(store: Store, more: Partial<ListRequest> = {}): Promise<readonly string[]> {
  const page = await store.list({ resource: pods, at: NEWEST, ...more }, never)
  const found: string[] = []
  for await (const batch of page.batches) found.push(...batch.map(({ name, bytes }) => `${name} ${bytes.toString()}`))
  return found
}

const SELECTIONS: readonly Partial<ListRequest>[] = [
  {},
  { selection: { labels: parseLabelSelector('app=web') } },
  { selection: { fields: parseFieldSelector('spec.nodeName=n1') } },
]

it('forks of forks, at any moment, say what their own storage says', async () => {
  const step = fc.record({
    who: fc.nat(3),
    kind: fc.constantFrom('put', 'put', 'put', 'remove', 'read', 'fork'),
    name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    app: fc.constantFrom('web', 'db'),
    node: fc.constantFrom('n1', 'n2'),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      await using stack = new AsyncDisposableStack()
      const all = [stack.use(new Opened(openMemory()))]
      await all[0]!.cache.ready(never)
      const same = async ({ cache, kv }: Opened): Promise<void> => {
        for (const more of SELECTIONS)
          expect(await listed(cache, more)).toEqual(await listed(openKvStore({ kv }), more))
      }
      for (const { who, kind, name, app, node } of steps) {
        const one = all[who % all.length]!
        if (kind === 'put') await one.put(name, { app }, node)
        else if (kind === 'remove') await one.remove(name)
        else if (kind === 'read') await same(one)
        else if (all.length < 4) all.push(stack.use(one.fork()))
      }
      for (const one of all) {
        await same(one)
        expect(one.errors).toEqual([])
      }
    }),
    { numRuns: 60 },
  )
})

it('what is shared is parsed once for all, and what is not is not kept', async () => {
  await using original = new Opened(openMemory())
  await original.cache.ready(never)
  await original.put('a')
  const parsed = async ({ cache }: Opened): Promise<unknown> => {
    const { item } = await cache.get({ resource: pods, namespace: 'd', name: 'a' }, NEWEST, never)
    return item?.kind === 'object' ? item.object() : expect.unreachable('it is there')
  }
  expect(await parsed(original)).not.toBe(await parsed(original))
  await using one = original.fork()
  await using other = original.fork()
  for (const fork of [one, other]) await fork.cache.ready(never)
  expect(await parsed(one)).toBe(await parsed(other))
  await one.put('a', { app: 'web' })
  expect(await parsed(one)).toMatchObject({ metadata: { labels: { app: 'web' } } })
  expect(await parsed(other)).not.toMatchObject({ metadata: { labels: { app: 'web' } } })
})

it('bytes that are moved or given up by one are still those of the other', async () => {
  await using original = new Opened(openMemory())
  await original.cache.ready(never)
  const names = Array.from({ length: 400 }, (_, i) => `p${String(i).padStart(3, '0')}`)
  for (const name of names) await original.put(name, { of: 'both' })
  const before = await original.names()
  await using fork = original.fork()
  // Most of each buffer goes, so that the rest of it is moved; first in one, then in the other.
  for (const name of names) if (!name.endsWith('7')) await original.remove(name)
  for (const name of names) await original.put(name, { of: 'the original' })
  expect(await fork.names()).toEqual(before)
  const changed = await original.names()
  for (const name of names) if (!name.endsWith('3')) await fork.remove(name)
  for (const name of names) await fork.put(name, { of: 'the fork' })
  expect(await original.names()).toEqual(changed)
  expect((await fork.names()).filter((text) => text.includes('the fork'))).toHaveLength(400)
})

it('a fork goes on where the original was, and has what happened before from the storage', async () => {
  await using original = new Opened(openMemory())
  await original.cache.ready(never)
  const first = await original.put('a')
  await original.put('b')
  const forked = original.fork()
  await using fork = forked
  expect(await original.put('c')).toBe(await fork.put('d'))
  const watch = await fork.cache.watch(
    { resource: pods, start: { kind: 'after', revision: first }, bookmarks: false },
    never,
  )
  const seen: string[] = []
  for await (const events of watch) {
    seen.push(...events.map((event) => (event.type === 'BOOKMARK' ? '' : event.object.name)))
    if (seen.length === 2) break
  }
  expect(seen).toEqual(['b', 'd'])
})

it('types that only the original was asked for, and objects of types that nobody knows, come along', async () => {
  await using original = new Opened(openMemory())
  await original.cache.ready(never)
  const node = { kind: 'Node', apiVersion: 'v1', metadata: { name: 'n' } }
  const key = { resource: nodes, namespace: '', name: 'n' }
  await openKvStore({ kv: original.kv }).write(key, () => ({ kind: 'put', object: node }), never)
  const readsNode = async ({ cache }: Opened): Promise<boolean> =>
    (await cache.get(key, NEWEST, never)).item !== undefined && cache.load(nodes)?.objects === 1
  await original.names()
  await using before = original.fork()
  expect(await readsNode(original)).toBe(true)
  await using after = original.fork()
  expect(after.cache.load(nodes)?.objects).toBe(1)
  expect([await readsNode(before), await readsNode(after)]).toEqual([true, true])
})

it('nothing is shared while it is loading', async () => {
  await using original = new Opened(openMemory())
  expect(original.cache.share()).toBeUndefined()
  await using fork = original.fork()
  await fork.put('a')
  expect(await fork.names()).toHaveLength(1)
})
