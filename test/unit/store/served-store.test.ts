import { describe, expect, it } from 'vitest'
import type { ApiObject } from '../../../src/api/object.ts'
import type { StoredObject } from '../../../src/api/read.ts'
import { ApiError } from '../../../src/api/status.ts'
import { openMemory } from '../../../src/kv/embedded/memory.ts'
import { openKvStore } from '../../../src/store/kv-store.ts'
import { ServedObject, ServedStore } from '../../../src/store/served-store.ts'
import type { ServedForm, StoredResource, WriteResult } from '../../../src/store/store.ts'

const signal = AbortSignal.timeout(5_000)
const object = (apiVersion: string): ApiObject => ({ kind: 'Foo', apiVersion, metadata: { name: 'a' } })

/** Stored as g/v1, shown as g/v2. */
function resourceWith(form: Partial<ServedForm> = {}): StoredResource {
  const known = new WeakMap<StoredObject, StoredObject>()
  const resource: StoredResource = {
    group: 'g',
    resource: 'foos',
    storagePrefix: 'g/foos',
    namespaced: false,
    selectableFields: [],
    form: {
      isAsStored: () => false,
      fromStored: (objects) =>
        objects.map((one) => {
          const served = known.get(one) ?? new ServedObject(one, { ...one.object(), apiVersion: 'g/v2' }, resource)
          known.set(one, served)
          return served
        }),
      toStored: (given) => ({ ...given, apiVersion: 'g/v1' }),
      ...form,
    },
  }
  return resource
}

function open(resource: StoredResource) {
  const below = openKvStore({ kv: openMemory(), prefix: '/registry' })
  const written: WriteResult[] = []
  const store = new ServedStore(below, (_key, result) => void written.push(result))
  const { form: _, ...plain } = resource
  return {
    below,
    store,
    written,
    key: { resource, namespace: '', name: 'a' },
    plainKey: { resource: plain, namespace: '', name: 'a' },
  }
}

describe('a type that is served in another form', () => {
  it('is stored in the one and handed out in the other, by every way', async () => {
    const resource = resourceWith()
    const { store, below, key, plainKey } = open(resource)
    const made = await store.write(key, () => ({ kind: 'put', object: object('g/v2') }), signal)
    expect(made).toMatchObject({ kind: 'put', created: true })
    expect((made as { object: StoredObject }).object.object()['apiVersion']).toBe('g/v2')
    const stored = (await below.get(plainKey, { kind: 'latest' }, signal)).item as StoredObject
    expect(stored.object()['apiVersion']).toBe('g/v1')
    const shown = (await store.get(key, { kind: 'latest' }, signal)).item as StoredObject
    expect(JSON.parse(shown.bytes.toString())).toMatchObject({
      apiVersion: 'g/v2',
      metadata: { resourceVersion: String(stored.revision) },
    })
    const page = await store.list({ resource, at: { kind: 'latest' } }, signal)
    const listed: string[] = []
    for await (const batch of page.batches) listed.push(...batch.map((one) => one.object().apiVersion))
    expect(listed).toEqual(['g/v2'])
  })

  it('lets writers decide on what is served', async () => {
    const { store, key } = open(resourceWith())
    await store.write(key, () => ({ kind: 'put', object: object('g/v2') }), signal)
    const seen: string[] = []
    await store.write(
      key,
      (current) => {
        if (current?.kind === 'object') seen.push(current.object().apiVersion)
        return { kind: 'remove' }
      },
      signal,
    )
    expect(seen).toEqual(['g/v2'])
  })

  it('tells before the list begins that its objects cannot be shown', async () => {
    const failing = resourceWith({ fromStored: () => Promise.reject(new ApiError('InternalError', 'no webhook')) })
    const { store, below, plainKey } = open(failing)
    await below.write(plainKey, () => ({ kind: 'put', object: object('g/v1') }), signal)
    await expect(store.list({ resource: failing, at: { kind: 'latest' } }, signal)).rejects.toThrow('no webhook')
  })

  it('is left alone where it is served as it is stored', async () => {
    const resource = resourceWith({ isAsStored: () => true })
    const { store, key, written } = open(resource)
    await store.write(key, () => ({ kind: 'put', object: object('g/v1') }), signal)
    expect(((await store.get(key, { kind: 'latest' }, signal)).item as StoredObject).object().apiVersion).toBe('g/v1')
    expect(written).toHaveLength(1)
  })
})
