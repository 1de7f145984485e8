// What only etcd does to a watch: several keys in one revision, answers in fragments, connections that are cut while it
// catches up, compaction to the very revision that it begins at.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { callHeaders, Endpoint } from '../../src/kv/etcd/endpoint.ts'
import { type Etcd, openEtcd } from '../../src/kv/etcd/etcd.ts'
import type { WatchResponse } from '../../src/kv/gen/rpc.ts'
import { type Batch, type KvEvent, putKey, removeKey } from '../../src/kv/kv.ts'
import { deleteTogether, putTogether } from '../fakes/etcd-gateway.ts'
import { type EtcdServer, startEtcd } from '../rigs/etcd-server.ts'
import { startTcpProxy } from '../fakes/tcp-proxy.ts'

const PREFIX = '/registry/'
const signal = new AbortController().signal

describe.each(['newest', 'oldest'] as const)('a watch on etcd, %s version', (line) => {
  let server: EtcdServer
  const opened: AsyncDisposable[] = []
  beforeAll(async () => {
    server = await startEtcd({ line })
  })
  afterEach(async () => {
    for (const resource of opened.splice(0).toReversed()) await resource[Symbol.asyncDispose]()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  async function open(endpoint = server.endpoint): Promise<Etcd> {
    const kv = await openEtcd({ endpoints: [endpoint], prefix: PREFIX }, signal)
    opened.push({ [Symbol.asyncDispose]: () => kv.close() })
    return kv
  }

  /** Follows until an event at this revision or later has come. */
  async function follow(kv: Etcd, after: number, upTo: number): Promise<Batch[]> {
    const batches: Batch[] = []
    for await (const batch of kv.watch({ prefix: PREFIX, after, withPrevious: true }, signal)) {
      batches.push(batch)
      if (batch.revision >= upTo) break
    }
    return batches
  }

  function keysByRevision(batches: readonly Batch[]): Map<number, string[]>[] {
    return batches.map(({ events }) => {
      const grouped = Map.groupBy(events, (event: KvEvent) => event.revision)
      return new Map([...grouped].map(([revision, group]) => [revision, group.map((event) => event.key)]))
    })
  }

  it('delivers a revision of many keys whole, live and from history', async () => {
    const kv = await open()
    const after = await kv.newestRevision(signal)
    const items = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`${PREFIX}many/${100 + i}`, 'x']))
    const live = follow(kv, after, after + 2)
    const put = await putTogether(server.endpoint, items)
    const removed = await deleteTogether(server.endpoint, `${PREFIX}many/`)
    for (const batches of [await live, await follow(kv, after, removed)]) {
      const revisions = new Map(keysByRevision(batches).flatMap((revisionsOfBatch) => [...revisionsOfBatch]))
      expect([...revisions.keys()]).toEqual([put, removed])
      for (const keys of revisions.values()) expect(keys.toSorted()).toEqual(Object.keys(items))
      expect(batches.flatMap(({ events }) => events).filter((event) => event.previous !== undefined)).toHaveLength(100)
    }
  })

  it('puts revisions together that come in fragments', async () => {
    const kv = await open()
    const after = await kv.newestRevision(signal)
    const value = 'v'.repeat(20_000)
    let last = 0
    for (let round = 0; round < 8; round++) {
      const names = Array.from({ length: 50 }, (_, i) => [`${PREFIX}big/${i}`, value])
      last = await putTogether(server.endpoint, Object.fromEntries(names))
    }
    expect(await hasSplitRevision(server.endpoint, after)).toBe(true)
    const batches = await follow(kv, after, last)
    const revisions = keysByRevision(batches).flatMap((revisionsOfBatch) => [...revisionsOfBatch])
    expect(revisions.map(([revision]) => revision)).toEqual(Array.from({ length: 8 }, (_, i) => after + 1 + i))
    for (const [, keys] of revisions) expect(new Set(keys).size).toBe(50)
  })

  it('loses nothing and repeats nothing where the connection is cut again and again while it catches up', async () => {
    const writer = await open()
    const after = await writer.newestRevision(signal)
    const value = Buffer.alloc(1_000, 'v')
    const writes = Array.from({ length: 5_000 }, (_, i) => ({ key: `${PREFIX}cut/${i}`, value, expected: 0 }))
    await Promise.all(writes.map((write) => putKey(writer, write, signal)))
    const proxy = await startTcpProxy(server.port)
    opened.push(proxy)
    const kv = await open(proxy.endpoint)
    const revisions: number[] = []
    // etcd answers with a thousand revisions at a time, so each connection gets one answer through and half of the next.
    proxy.cutAfter(1_500_000)
    for await (const batch of kv.watch({ prefix: PREFIX, after }, signal)) {
      for (const event of batch.events) revisions.push(event.revision)
      if (batch.revision >= after + 5_000) break
    }
    expect(proxy.accepted).toBeGreaterThan(3)
    expect(revisions).toEqual(Array.from({ length: 5_000 }, (_, i) => after + 1 + i))
  })

  it('is refused as compacted where it would begin at the revision compacted to, since a delete there may be gone', async () => {
    const kv = await open()
    const { revision } = await putKey(kv, { key: `${PREFIX}gone`, value: Buffer.from('x'), expected: 0 }, signal)
    const removed = (await removeKey(kv, { key: `${PREFIX}gone`, expected: revision }, signal)).revision
    await putTogether(server.endpoint, { [`${PREFIX}after`]: 'x' })
    await kv.compact(removed, signal)
    await expect(follow(kv, removed - 1, removed)).rejects.toMatchObject({
      code: 'compacted',
      compactRevision: removed,
    })
    expect((await follow(kv, removed, removed + 1))[0]?.events[0]?.key).toBe(`${PREFIX}after`)
  })

  it('says that it has come to where it is, where etcd can be trusted with that', async () => {
    const kv = await open()
    const after = await kv.newestRevision(signal)
    await putTogether(server.endpoint, { '/elsewhere/a': 'x' })
    const watch = kv.watch({ prefix: PREFIX, after }, signal)
    const answered = watch.requestProgress()
    expect(answered).toBe(line === 'newest')
    if (!answered) return
    for await (const batch of watch) {
      expect(batch).toEqual({ events: [], revision: after + 1 })
      break
    }
  })

  it('does not show what the engine writes for itself, but says that it has come that far', async () => {
    const kv = await open()
    const after = await kv.newestRevision(signal)
    const fence = await putTogether(server.endpoint, { [`${PREFIX}\0fence/x`]: '' })
    const both = await putTogether(server.endpoint, { [`${PREFIX}\0fence/y`]: '', [`${PREFIX}z`]: 'x' })
    const batches = await follow(kv, after, both)
    expect(batches.at(-1)?.revision).toBe(both)
    expect(batches.flatMap(({ events }) => events).map((event) => event.key)).toEqual([`${PREFIX}z`])
    expect((await follow(kv, after, fence))[0]?.revision).toBeGreaterThanOrEqual(fence)
    const { items, count } = await kv.list({ start: PREFIX, end: '/registry0', countAll: true }, signal)
    expect(items.filter(({ key }) => key.includes('\0'))).toEqual([])
    expect(count).toBe(items.length)
  })
})

/** Whether etcd itself cuts a revision in two for a client that asks for fragments. */
async function hasSplitRevision(url: string, after: number): Promise<boolean> {
  const endpoint = new Endpoint(url, undefined)
  const call = endpoint.openWatch(callHeaders(undefined))
  try {
    const createRequest = { key: PREFIX, rangeEnd: '/registry0', startRevision: after + 1, fragment: true }
    call.send({ createRequest })
    let last: WatchResponse | undefined
    for (;;) {
      const response = call.read()
      if (response === undefined) {
        await call.readable(AbortSignal.timeout(30_000))
        continue
      }
      if (last?.fragment === true && last.events.at(-1)?.kv.revision === response.events[0]?.kv.revision) return true
      if (last?.fragment === true && !response.fragment) return false
      last = response
    }
  } finally {
    call.cancel()
    endpoint.close()
  }
}
