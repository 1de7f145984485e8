// The watch cache by itself, before HTTP and encoding: consistent gets, a list of 10,000, a thousand watchers, and the start with
// 200,000 objects. Processor time an operation is the steadiest figure on a shared machine.
import { readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import type { ApiObject } from '../../src/api/object.ts'
import { selectableFields } from '../../src/api/selector-fields.ts'
import { parseLabelSelector } from '../../src/api/selector-text.ts'
import { parseFieldSelector } from '../../src/api/selector-fields.ts'
import type { Value, ValueMap } from '../../src/api/value.ts'
import { openWatchCache, type WatchCache } from '../../src/cache/cache.ts'
import { openMemory } from '../../src/kv/embedded/memory.ts'
import { encodeStored, parseStored } from '../../src/codec/stored-json.ts'
import type { KeyValue, Kv, Range } from '../../src/kv/kv.ts'
import { openKvStore } from '../../src/store/kv-store.ts'
import type { Selection, StoredResource } from '../../src/store/store.ts'

const pods: StoredResource = {
  group: '',
  resource: 'pods',
  storagePrefix: 'pods',
  namespaced: true,
  selectableFields: selectableFields({ group: '', version: 'v1', kind: 'Pod' }).own,
}

const { signal } = new AbortController()

/** A pod of some four kilobytes: of one with every field that there is, the parts that real ones have. */
const PATTERN = parseStored(readFileSync(new URL('../fixtures/golden/core.v1.Pod.json', import.meta.url)))!

function podOf(index: number): ApiObject {
  const { containers, restartPolicy, serviceAccountName, tolerations } = PATTERN['spec'] as Record<string, Value>
  const { phase, podIP, podIPs, conditions } = PATTERN['status'] as Record<string, Value>
  const spec = {
    containers,
    restartPolicy,
    serviceAccountName,
    nodeName: `node-${index % 200}`,
    tolerations,
  } as ValueMap
  const name = `checkout-${index % 97}-${index.toString(36).padStart(5, '0')}`
  const labels = { app: 'checkout', instance: `checkout-${index % 7}`, 'pod-template-hash': '7f9d8c5b6' }
  const metadata = { ...PATTERN.metadata, name, namespace: `team-${index % 40}`, uid: `uid-${index}`, labels }
  return { ...PATTERN, metadata, spec, status: { phase, podIP, podIPs, conditions } as ValueMap }
}

export async function bench(): Promise<void> {
  await benchStart(200_000)
  await using bench = await openBench(10_000)
  await benchGets(bench.cache)
  await benchLists(bench.cache)
  await benchWatchers(bench.cache, 1_000, 2_000)
  await benchWatchers(bench.cache, 1_000, 500, (i) => ({ fields: parseFieldSelector(`spec.nodeName=node-${i % 200}`) }))
  await benchWrites(bench.cache)
}

interface Bench extends AsyncDisposable {
  readonly cache: WatchCache
}

async function openBench(objects: number): Promise<Bench> {
  const kv = openMemory()
  const store = openKvStore({ kv })
  for (let i = 0; i < objects; i++) await putPod(store, i)
  return openCache(kv)
}

async function openCache(kv: Kv): Promise<Bench> {
  const stop = new AbortController()
  const cache = openWatchCache({ store: openKvStore({ kv }), resources: [pods], onError: console.error })
  const running = cache.run(stop.signal)
  await cache.ready(signal)
  return {
    cache,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
      await kv.close()
    },
  }
}

async function putPod(store: Pick<WatchCache, 'write'>, index: number, version = 0): Promise<void> {
  const object = podOf(index)
  const metadata = { ...object.metadata, generation: version + 1 }
  await store.write(keyOf(index), () => ({ kind: 'put', object: { ...object, metadata } }), signal)
}

function keyOf(index: number) {
  const { name, namespace } = podOf(index).metadata as { name: string; namespace: string }
  return { resource: pods, namespace, name }
}

async function measure(what: string, count: number, work: () => Promise<void>): Promise<void> {
  const cpu = process.cpuUsage()
  const start = performance.now()
  await work()
  const seconds = (performance.now() - start) / 1_000
  const { user, system } = process.cpuUsage(cpu)
  const micros = ((user + system) / count).toFixed(2)
  console.log(
    `${what.padEnd(52)} ${(count / seconds).toFixed(0).padStart(9)}/s ${micros.padStart(9)} µs of processor each`,
  )
}

async function benchGets(cache: WatchCache): Promise<void> {
  const keys = Array.from({ length: 1_000 }, (_, i) => keyOf(i))
  for (const kind of ['latest', 'any'] as const) {
    for (const concurrency of [1, 16, 256]) {
      let left = 100_000
      await measure(`get ${kind}, ${concurrency} at once`, left, async () => {
        const client = async (): Promise<void> => {
          while (left-- > 0) {
            const { item } = await cache.get(keys[left % 1_000]!, { kind }, signal)
            if (item?.kind !== 'object' || item.bytes.length === 0) throw new Error('absent')
          }
        }
        await Promise.all(Array.from({ length: concurrency }, client))
      })
    }
  }
}

async function benchLists(cache: WatchCache): Promise<void> {
  const list = async (selection: Selection, limit?: number): Promise<number> => {
    const page = await cache.list(
      { resource: pods, at: { kind: 'latest' }, selection, ...(limit === undefined ? {} : { limit }) },
      signal,
    )
    let bytes = 0
    for await (const batch of page.batches) for (const object of batch) bytes += object.bytes.length
    return bytes
  }
  const rows: readonly (readonly [string, Selection, number?])[] = [
    ['list 10,000', {}],
    ['list 500 of 10,000', {}, 500],
    ['list by label, one in seven', { labels: parseLabelSelector('instance=checkout-3') }],
    ['list by indexed field', { fields: parseFieldSelector('spec.nodeName=node-7') }],
    ['list by other field', { fields: parseFieldSelector('status.phase=Failed') }],
  ]
  for (const [what, selection, limit] of rows) {
    await list(selection, limit)
    await measure(what, 20, async () => {
      for (let i = 0; i < 20; i++) await list(selection, limit)
    })
  }
}

async function benchWatchers(
  cache: WatchCache,
  watchers: number,
  writes: number,
  selectionOf: (i: number) => Selection = () => ({}),
): Promise<void> {
  const stop = new AbortController()
  let events = 0
  const isNarrow = Object.keys(selectionOf(0)).length > 0
  const expected = isNarrow ? (writes * watchers) / 200 : writes * watchers
  const everything = Promise.withResolvers<void>()
  const start = { kind: 'changes', at: { kind: 'latest' } } as const
  const watches = await Promise.all(
    Array.from({ length: watchers }, (_, i) =>
      cache.watch({ resource: pods, start, bookmarks: true, selection: selectionOf(i) }, stop.signal),
    ),
  )
  const readers = watches.map(async (watch) => {
    for await (const batch of watch) {
      events += batch.length
      if (events >= expected) everything.resolve()
    }
  })
  await measure(`${watchers} watchers${isNarrow ? ' of one node each' : ''}, an event`, expected, async () => {
    for (let i = 0; i < writes; i++) {
      await putPod(cache, i % 10_000, Math.floor(i / 10_000) + 1 + Math.random())
      await setImmediate()
    }
    await everything.promise
  })
  stop.abort()
  await Promise.allSettled(readers)
}

async function benchWrites(cache: WatchCache): Promise<void> {
  await measure('write through the cache', 10_000, async () => {
    for (let i = 0; i < 10_000; i++) await putPod(cache, i % 100, i + 2 + Math.random())
  })
}

/** A storage that gives the same few values out again and again, so that what is measured is the cache alone. */
class RepeatingKv {
  readonly #count: number
  readonly #values = Array.from({ length: 1_000 }, (_, i) => encodeStored(podOf(i)))

  constructor(count: number) {
    this.#count = count
  }

  async list(range: Range) {
    const items: KeyValue[] = []
    let i = range.start.startsWith('/registry/pods/') ? Number(range.start.slice(-9, -1)) + 1 : 0
    for (; i < this.#count && items.length < (range.limit ?? 500); i++) {
      const key = `/registry/pods/d/pod-${String(i).padStart(8, '0')}`
      items.push({ key, value: this.#values[i % 1_000]!, revision: i + 2, createRevision: i + 2 })
    }
    return { revision: this.#count + 2, items, more: i < this.#count, count: this.#count }
  }

  watch() {
    return {
      requestProgress: () => false,
      async *[Symbol.asyncIterator]() {
        await new Promise(() => {})
        yield { events: [], revision: 0 }
      },
    }
  }
}

async function benchStart(objects: number): Promise<void> {
  const kv = new RepeatingKv(objects) as unknown as Kv
  globalThis.gc?.()
  const before = process.memoryUsage()
  const cpu = process.cpuUsage()
  const start = performance.now()
  const cache = openWatchCache({ store: openKvStore({ kv }), resources: [pods] })
  void cache.run(new AbortController().signal)
  await cache.ready(signal)
  const wall = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)
  globalThis.gc?.()
  const after = process.memoryUsage()
  const page = await cache.list({ resource: pods, at: { kind: 'any' } }, signal)
  let bytes = 0
  for await (const batch of page.batches) for (const object of batch) bytes += object.bytes.length
  console.log(
    `start with ${objects} objects of ${(bytes / objects / 1e3).toFixed(1)} kB: ${(wall / 1e3).toFixed(1)} s, ` +
      `${((user + system) / 1e6).toFixed(1)} s of processor; ` +
      `heap +${mega(after.heapUsed - before.heapUsed)} (${((after.heapUsed - before.heapUsed) / objects).toFixed(0)} B each), ` +
      `buffers +${mega(after.external - before.external)} for ${mega(bytes)} of JSON, rss +${mega(after.rss - before.rss)}`,
  )
}

function mega(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`
}

if (import.meta.main) await bench()
