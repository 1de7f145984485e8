import { describe, expect, it } from 'vitest'
import type { ApiObject } from '../../../src/api/object.ts'
import type { ListAt, StoredObject } from '../../../src/api/read.ts'
import { parseLabelSelector } from '../../../src/api/selector-text.ts'
import { ApiError } from '../../../src/api/status.ts'
import { encodeStored } from '../../../src/codec/stored-json.ts'
import { openMemory } from '../../../src/kv/embedded/memory.ts'
import { openKvStore } from '../../../src/store/kv-store.ts'
import { ServedObject, ServedStore } from '../../../src/registry/served-store.ts'
import type { ListPage, ServedForm, StoredResource, WriteResult } from '../../../src/store/store.ts'

const signal = new AbortController().signal
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
      keepsValues: () => false,
      isLocal: false,
      atHand: (one) => known.get(one),
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
  const kv = openMemory()
  const below = openKvStore({ kv, prefix: '/registry' })
  const written: WriteResult[] = []
  const store = new ServedStore(below, (_key, result) => void written.push(result))
  const { form: _, ...plain } = resource
  return {
    kv,
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

  it('is converted where a writer has its bytes alone', async () => {
    const { store, below, key, plainKey } = open(resourceWith())
    const made = await store.write(key, () => ({ kind: 'put', bytes: encodeStored(object('g/v2')) }), signal)
    expect((made as { object: StoredObject }).object.object()['apiVersion']).toBe('g/v2')
    const stored = (await below.get(plainKey, { kind: 'latest' }, signal)).item as StoredObject
    expect(stored.object()['apiVersion']).toBe('g/v1')
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

  describe.each([
    ['a field', { fields: { terms: [{ field: 'spec.colour', operator: '=', value: 'red' }] } }],
    ['a label', { labels: parseLabelSelector('colour=red') }],
  ] as const)('and is selected by %s of the form that is served', (_name, red) => {
    /** What is stored says nothing of colours. */
    const coloured = (): StoredResource => {
      const resource: StoredResource = resourceWith({
        fromStored: (objects) =>
          Promise.resolve(
            objects.map((one) => {
              const { metadata, ...rest } = one.object()
              const labels = metadata['labels'] as Readonly<Record<string, string>>
              const colour = labels['paint'] ?? ''
              const shown = { ...metadata, labels: { ...labels, colour } }
              return new ServedObject(one, { ...rest, metadata: shown, spec: { colour } }, resource)
            }),
          ),
        toStored: (given) => given,
      })
      const field = { name: 'spec.colour', paths: [['spec', 'colour']], absent: '', indexed: false }
      return { ...resource, selectableFields: [field] }
    }
    const painted = (name: string, paint: string): ApiObject => ({
      kind: 'Foo',
      apiVersion: 'g/v2',
      metadata: { name, labels: { paint } },
    })
    const put = async (store: ServedStore, resource: StoredResource, given: ApiObject): Promise<number> => {
      const key = { resource, namespace: '', name: given.metadata['name'] as string }
      const result = await store.write(key, () => ({ kind: 'put', object: given }), signal)
      return (result as { object: StoredObject }).object.revision
    }

    it('page by page', async () => {
      const resource = coloured()
      const { store } = open(resource)
      for (const [i, paint] of ['red', 'blue', 'red', 'blue', 'red', 'blue'].entries()) {
        await put(store, resource, painted(`f${i}`, paint))
      }
      const pages: (readonly string[])[] = []
      for (let at: ListAt | undefined = { kind: 'latest' }; at !== undefined; ) {
        const page: ListPage = await store.list({ resource, at, limit: 2, selection: red }, signal)
        const names: string[] = []
        for await (const batch of page.batches) names.push(...batch.map(({ name }) => name))
        pages.push(names)
        at = page.next === undefined ? undefined : { kind: 'continuation', position: page.next }
      }
      expect(pages).toEqual([['f0', 'f2'], ['f4']])
    })

    it('as it comes into the selection, changes in it and leaves it', async () => {
      const resource = coloured()
      const { store } = open(resource)
      await put(store, resource, painted('known', 'red'))
      const revision = await put(store, resource, painted('other', 'blue'))
      const watch = await store.watch(
        { resource, start: { kind: 'after', revision }, bookmarks: false, selection: red },
        signal,
      )
      await put(store, resource, painted('other', 'red'))
      await put(store, resource, { ...painted('other', 'red'), note: 'changed' })
      await put(store, resource, painted('third', 'blue'))
      const left = await put(store, resource, painted('known', 'blue'))
      const told: string[] = []
      for await (const events of watch) {
        for (const event of events) {
          if (event.type === 'BOOKMARK') continue
          const { spec, metadata } = JSON.parse(event.object.bytes.toString()) as {
            readonly spec: { readonly colour: string }
            readonly metadata: { readonly name: string; readonly resourceVersion: string }
          }
          told.push(`${event.type} ${metadata.name} ${spec.colour}`)
          if (event.type === 'DELETED') expect(metadata.resourceVersion).toBe(String(left))
        }
        if (told.length >= 3) break
      }
      expect(told).toEqual(['ADDED other red', 'MODIFIED other red', 'DELETED known red'])
    })

    it('not from a moment of which nothing is known any more: the watcher would not be told what leaves the selection', async () => {
      const resource = coloured()
      const { store, kv } = open(resource)
      const revision = await put(store, resource, painted('known', 'red'))
      await kv.compact(await put(store, resource, painted('other', 'blue')), signal)
      const start = { kind: 'after', revision } as const
      const watch = store.watch({ resource, start, bookmarks: false, selection: red }, signal)
      await expect(watch).rejects.toMatchObject({ reason: 'Expired' })
    })

    it('not where what was shown cannot be converted', async () => {
      const resource = coloured()
      const { store } = open(resource)
      const revision = await put(store, resource, painted('known', 'red'))
      const { form } = resource
      let fails = 1
      const fromStored: ServedForm['fromStored'] = (...given) =>
        fails-- > 0 ? Promise.reject(new ApiError('InternalError', 'no webhook')) : form!.fromStored(...given)
      const failing: StoredResource = { ...resource, form: { ...form!, fromStored } }
      const start = { kind: 'after', revision } as const
      const request = { resource: failing, start, bookmarks: false, selection: red }
      await expect(store.watch(request, signal)).rejects.toThrow('no webhook')
      const watch = await store.watch(request, signal)
      await put(store, resource, painted('known', 'blue'))
      for await (const events of watch) {
        expect(events.map(({ type }) => type)).toEqual(['DELETED'])
        break
      }
    })
  })

  it('is left alone where it is served as it is stored', async () => {
    const resource = resourceWith({ isAsStored: () => true })
    const { store, key } = open(resource)
    await store.write(key, () => ({ kind: 'put', object: object('g/v1') }), signal)
    expect(((await store.get(key, { kind: 'latest' }, signal)).item as StoredObject).object().apiVersion).toBe('g/v1')
  })
})

describe('whoever wants to know what is written', () => {
  it.each([
    ['as it is stored', true],
    ['in another form', false],
  ])('is told of every write to a type that is served %s, as it is stored', async (_name, asStored) => {
    const { store, key, written } = open(resourceWith({ isAsStored: () => asStored }))
    await store.write(key, () => ({ kind: 'put', object: object('g/v1') }), signal)
    await store.write(key, () => ({ kind: 'keep' }), signal)
    await store.write(key, () => ({ kind: 'remove' }), signal)
    expect(written.map(({ kind }) => kind)).toEqual(['put', 'kept', 'removed'])
    const versions = written.map((result) => (result.object as StoredObject).object().apiVersion)
    expect(versions).toEqual(['g/v1', 'g/v1', 'g/v1'])
  })

  it('is told of a write whose object cannot be shown', async () => {
    const { store, key, written } = open(
      resourceWith({ fromStored: () => Promise.reject(new ApiError('InternalError', 'no webhook')) }),
    )
    await expect(store.write(key, () => ({ kind: 'put', object: object('g/v2') }), signal)).rejects.toThrow(
      'no webhook',
    )
    expect(written).toMatchObject([{ kind: 'put', created: true }])
  })
})
