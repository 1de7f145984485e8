import { describe, expect, it } from 'vitest'
import { openMemory } from '../../../src/kv/embedded/memory.ts'
import { openKvStore } from '../../../src/store/kv-store.ts'
import type { StoredItem } from '../../../src/store/store.ts'
import { pods } from '../../corpora/stored-resources.ts'

const key = { resource: pods, namespace: 'd', name: 'a' }
const { signal } = new AbortController()

async function open() {
  const kv = openMemory()
  const store = openKvStore({ kv })
  const put = async (version: number, name = 'a'): Promise<void> => {
    const object = { kind: 'Pod', apiVersion: 'v1', metadata: { name, namespace: 'd' }, spec: { version } }
    await store.write({ ...key, name }, () => ({ kind: 'put', object }), signal)
  }
  const remove = (): Promise<unknown> => store.write(key, () => ({ kind: 'remove' }), signal)
  const history = async (limit = 10) => {
    const { items, isCut } = await store.history({ key, limit, within: [] }, signal)
    return { versions: versionsOf(items), isCut }
  }
  const wholeHistory = async (limit = 10) => {
    const { items, ...told } = await store.history({ key, limit, withDeleted: true, within: [] }, signal)
    return { versions: versionsOf(items), ...told }
  }
  return { kv, store, put, remove, history, wholeHistory, [Symbol.asyncDispose]: () => kv.close() }
}

function versionsOf(items: readonly StoredItem[]): readonly unknown[] {
  return items.map((item) => item.kind === 'object' && (item.object()['spec'] as { version: number }).version)
}

describe('the past of an object', () => {
  it('is all that was stored since it was created, the newest first', async () => {
    await using world = await open()
    expect(await world.history()).toEqual({ versions: [], isCut: false })
    for (const version of [1, 2, 3]) {
      await world.put(version)
      await world.put(version, 'other')
    }
    expect(await world.history()).toEqual({ versions: [3, 2, 1], isCut: false })
    expect(await world.history(2)).toEqual({ versions: [3, 2], isCut: false })
    const { items } = await world.store.history({ key, limit: 1, within: [] }, signal)
    expect(items[0]).toEqual((await world.store.get(key, { kind: 'latest' }, signal)).item)
  })

  it('begins anew where the object does', async () => {
    await using world = await open()
    await world.put(1)
    await world.store.write(key, () => ({ kind: 'remove' }), signal)
    await world.put(2)
    expect(await world.history()).toEqual({ versions: [2], isCut: false })
    await world.store.write(key, () => ({ kind: 'remove' }), signal)
    expect(await world.history()).toEqual({ versions: [], isCut: false })
  })

  it('ends where it is compacted', async () => {
    await using world = await open()
    for (const version of [1, 2, 3, 4]) await world.put(version)
    const newest = await world.kv.newestRevision(signal)
    await world.kv.compact(newest - 1, signal)
    expect(await world.history()).toEqual({ versions: [4, 3], isCut: true })
  })

  it('is empty for a name that no object can have', async () => {
    await using world = await open()
    expect(await world.store.history({ key: { ...key, name: 'a/b' }, limit: 1, within: [] }, signal)).toEqual({
      items: [],
      isCut: false,
      isGone: false,
    })
  })

  it('fails where the storage does', async () => {
    const world = await open()
    await world.kv.close()
    await expect(world.history()).rejects.toMatchObject({ reason: 'ServiceUnavailable' })
  })
})

describe('the past of a name', () => {
  it('is that of all who had it, the newest first', async () => {
    await using world = await open()
    expect(await world.wholeHistory()).toEqual({ versions: [], isCut: false, isGone: false })
    for (const version of [1, 2]) await world.put(version)
    await world.remove()
    await world.put(9, 'ab')
    for (const version of [3, 4]) await world.put(version)
    await world.remove()
    await world.put(5)
    const isCut = false
    expect(await world.wholeHistory()).toEqual({ versions: [5, 4, 3, 2, 1], isCut, isGone: false })
    expect(await world.wholeHistory(4)).toEqual({ versions: [5, 4, 3, 2], isCut, isGone: false })
    expect(await world.wholeHistory(1)).toEqual({ versions: [5], isCut, isGone: false })
    await world.remove()
    expect(await world.wholeHistory(2)).toEqual({ versions: [5, 4], isCut, isGone: true })
    await world.put(9, 'other')
    expect(await world.wholeHistory()).toEqual({ versions: [5, 4, 3, 2, 1], isCut, isGone: true })
  })

  it('ends where it is compacted', async () => {
    await using world = await open()
    for (const version of [1, 2, 3]) await world.put(version)
    const lastOfFirst = await world.kv.newestRevision(signal)
    await world.remove()
    await world.put(4)
    await world.kv.compact(lastOfFirst, signal)
    expect(await world.wholeHistory()).toEqual({ versions: [4, 3], isCut: true, isGone: false })
    await world.kv.compact(await world.kv.newestRevision(signal), signal)
    expect(await world.wholeHistory()).toEqual({ versions: [4], isCut: false, isGone: false })
  })

  it('is found for names that end in any character', async () => {
    await using world = await open()
    const odd = { ...key, name: 'a\u00e9~' }
    const object = { kind: 'Pod', apiVersion: 'v1', metadata: { name: odd.name, namespace: 'd' }, spec: { version: 1 } }
    await world.store.write(odd, () => ({ kind: 'put', object }), signal)
    await world.store.write(odd, () => ({ kind: 'remove' }), signal)
    const { items } = await world.store.history({ key: odd, limit: 5, withDeleted: true, within: [] }, signal)
    expect(versionsOf(items)).toEqual([1])
  })
})
