import { describe, expect, it } from 'vitest'
import { openMemory } from '../../../src/kv/embedded/memory.ts'
import { openKvStore } from '../../../src/store/kv-store.ts'
import { pods } from '../../fakes/stored-resources.ts'

const key = { resource: pods, namespace: 'd', name: 'a' }
const { signal } = new AbortController()

async function open() {
  const kv = openMemory()
  const store = openKvStore({ kv })
  const put = async (version: number, name = 'a'): Promise<void> => {
    const object = { kind: 'Pod', apiVersion: 'v1', metadata: { name, namespace: 'd' }, spec: { version } }
    await store.write({ ...key, name }, () => ({ kind: 'put', object }), signal)
  }
  const history = async (limit = 10) => {
    const { items, isCut } = await store.history({ key, limit }, signal)
    const versions = items.map(
      (item) => item.kind === 'object' && (item.object()['spec'] as { version: number }).version,
    )
    return { versions, isCut }
  }
  return { kv, store, put, history, [Symbol.asyncDispose]: () => kv.close() }
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
    const { items } = await world.store.history({ key, limit: 1 }, signal)
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
    expect(await world.store.history({ key: { ...key, name: 'a/b' }, limit: 1 }, signal)).toEqual({
      items: [],
      isCut: false,
    })
  })

  it('fails where the storage does', async () => {
    const world = await open()
    await world.kv.close()
    await expect(world.history()).rejects.toMatchObject({ reason: 'ServiceUnavailable' })
  })
})
