// What is told of the storage is the storage's alone: not what decides about a write, nor what it was refused for.
import { describe, expect, it } from 'vitest'
import { LabelSelector } from '../../../src/api/selector.ts'
import { KvError, type Kv } from '../../../src/kv/kv.ts'
import { openMemory } from '../../../src/kv/embedded/memory.ts'
import type { FollowableStore } from '../../../src/store/kv-store.ts'
import { openKvStore } from '../../../src/store/kv-store.ts'
import { StoreMeasures } from '../../../src/store/measures.ts'
import type { Decide, StoredResource } from '../../../src/store/store.ts'
import { FaultyKv } from '../../fakes/faulty-kv.ts'

const MAPS: StoredResource = {
  group: 'g',
  resource: 'maps',
  storagePrefix: 'maps',
  namespaced: true,
  selectableFields: [],
}
const key = { resource: MAPS, namespace: 'n', name: 'a' }
const { signal } = new AbortController()
const KV_MS = 30
const DECIDING_MS = 9_000

/** Every call to the kv takes 30 ms, and every decision nine seconds. */
function open() {
  let now = 0
  const measures = new StoreMeasures(() => now)
  const faulty = new FaultyKv(openMemory())
  const slow = new Proxy<Kv>(faulty, {
    get(kv, name: keyof Kv) {
      if (name === 'watch') return kv.watch.bind(kv)
      const call = kv[name]!.bind(kv) as (...args: readonly unknown[]) => Promise<unknown>
      return (...args: readonly unknown[]) => {
        now += KV_MS
        return call(...args)
      }
    },
  })
  const store = openKvStore({ kv: slow, prefix: '/registry', measures })
  const put = (data: string): Decide => {
    return () => {
      now += DECIDING_MS
      const object = { apiVersion: 'g/v1', kind: 'Map', metadata: { name: 'a', namespace: 'n' }, data }
      return Promise.resolve({ kind: 'put', object })
    }
  }
  const refuse: Decide = () => {
    now += DECIDING_MS
    return Promise.reject(new Error('a webhook says no'))
  }
  return { measures, faulty, store, put, refuse }
}

function counts(family: StoreMeasures['requests']): Record<string, number> {
  const shown: Record<string, number> = {}
  for (const { values, series } of family.all()) if (series.value > 0) shown[values.join(' ').trimEnd()] = series.value
  return shown
}

function seconds(measures: StoreMeasures): Record<string, number> {
  const shown: Record<string, number> = {}
  for (const { values, series } of measures.seconds.all()) shown[values.join(' ').trimEnd()] = series.sum
  return shown
}

const list = async (store: FollowableStore): Promise<void> => {
  const page = await store.list({ resource: MAPS, at: { kind: 'latest' } }, signal)
  for await (const batch of page.batches) expect(batch.length).toBeGreaterThan(0)
}

describe('what is told of the storage', () => {
  it('has the time of its calls, by operation and type', async () => {
    const { measures, store, put } = open()
    await store.write(key, put('1'), signal)
    await store.write(key, put('2'), signal)
    await store.get(key, { kind: 'latest' }, signal)
    await list(store)
    await store.write(key, () => ({ kind: 'remove' }), signal)
    await store.newestRevision(signal)
    expect(counts(measures.requests)).toEqual({
      'get g maps': 4,
      'create g maps': 1,
      'update g maps': 1,
      'list g maps': 1,
      'delete g maps': 1,
      get: 1,
    })
    const took = seconds(measures)
    expect(took['create g maps']).toBeCloseTo(0.03)
    expect(took['update g maps']).toBeCloseTo(0.03)
    expect(took['delete g maps']).toBeCloseTo(0.03)
    expect(took['get g maps']).toBeCloseTo(0.12)
    expect(counts(measures.errors)).toEqual({})
  })

  it('knows nothing of writes that were refused before they came to it', async () => {
    const { measures, store, refuse } = open()
    await expect(store.write(key, refuse, signal)).rejects.toThrow('a webhook says no')
    expect(counts(measures.requests)).toEqual({ 'get g maps': 1 })
    expect(counts(measures.errors)).toEqual({})
  })

  it('counts what lost to another writer as a call, not as a failure', async () => {
    const { measures, store, put } = open()
    await store.write(key, put('1'), signal)
    await store.writeAssuming({ key, decide: put('2'), current: undefined }, signal)
    expect(counts(measures.requests)).toEqual({ 'get g maps': 1, 'create g maps': 2, 'update g maps': 1 })
    expect(counts(measures.errors)).toEqual({})
  })

  it('counts its own failures, and not those who left', async () => {
    const { measures, faulty, store, put } = open()
    faulty.failure = new KvError('unavailable', 'no leader')
    await expect(store.get(key, { kind: 'latest' }, signal)).rejects.toThrow()
    await expect(list(store)).rejects.toThrow()
    await expect(store.writeAssuming({ key, decide: put('1'), current: undefined }, signal)).rejects.toThrow()
    expect(counts(measures.errors)).toEqual({ 'get g maps': 1, 'list g maps': 1, 'create g maps': 1 })
    faulty.failure = undefined
    await expect(store.get(key, { kind: 'latest' }, AbortSignal.abort())).rejects.toThrow()
    expect(counts(measures.errors)).toEqual({ 'get g maps': 1, 'list g maps': 1, 'create g maps': 1 })
  })

  it('tells what was read for lists apart from what they gave', async () => {
    const { measures, store } = open()
    for (const name of ['a', 'b', 'c']) {
      const object = { apiVersion: 'g/v1', kind: 'Map', metadata: { name, namespace: 'n', labels: { name } } }
      await store.write({ ...key, name }, () => ({ kind: 'put', object }), signal)
    }
    const labels = new LabelSelector([{ kind: 'equals', key: 'name', value: 'b' }])
    const page = await store.list({ resource: MAPS, at: { kind: 'latest' }, selection: { labels } }, signal)
    for await (const batch of page.batches) expect(batch.map(({ name }) => name)).toEqual(['b'])
    const of = (family: StoreMeasures['lists']): number => family.of('g', 'maps').value
    const { lists, fetched, evaluated, returned } = measures
    expect([lists, fetched, evaluated, returned].map(of)).toEqual([1, 3, 3, 1])
  })
})
