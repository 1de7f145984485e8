// What only the in-memory engine promises; what it has in common with the others is in test/contract.
import { describe, expect, it } from 'vitest'
import { openMemory, type MemoryKv } from '../../../../src/kv/embedded/memory.ts'
import { ABSENT, prefixRange, type Revision, putKey, removeKey, type WriteResult } from '../../../../src/kv/kv.ts'
import { collectGarbage } from '../../../rigs/garbage.ts'
import { ManualClock } from '../../../fakes/manual-clock.ts'

const never = new AbortController().signal

async function put(kv: MemoryKv, key: string, value: string, expected: Revision = ABSENT): Promise<Revision> {
  const result = await putKey(kv, { key, value: Buffer.from(value), expected }, never)
  expect(result.ok).toBe(true)
  return result.revision
}

async function contents(kv: MemoryKv, at?: Revision): Promise<Record<string, string>> {
  const { items } = await kv.list({ ...prefixRange('/'), ...(at === undefined ? {} : { at }) }, never)
  return Object.fromEntries(items.map((item) => [item.key, item.value.toString()]))
}

describe('a fork', () => {
  it('has the state and the history, and neither sees what the other writes after', async () => {
    const kv = openMemory()
    const one = await put(kv, '/a', 'one')
    const two = await put(kv, '/a', 'two', one)
    const fork = kv.fork()
    const inFork = await put(fork, '/a', 'fork', two)
    const inOriginal = await put(kv, '/a', 'original', two)
    await put(fork, '/b', 'fork')
    expect(inFork).toBe(inOriginal)
    expect(await contents(kv)).toEqual({ '/a': 'original' })
    expect(await contents(fork)).toEqual({ '/a': 'fork', '/b': 'fork' })
    for (const each of [kv, fork]) {
      expect(await contents(each, one)).toEqual({ '/a': 'one' })
      expect(await contents(each, two)).toEqual({ '/a': 'two' })
    }
  })

  it('is not touched by the original’s compaction, watches or end', async () => {
    const kv = openMemory()
    const one = await put(kv, '/a', 'one')
    const two = await put(kv, '/a', 'two', one)
    const fork = kv.fork()
    await kv.compact(two, never)
    await kv.close()
    expect(await contents(fork, one)).toEqual({ '/a': 'one' })
    const seen: Revision[] = []
    for await (const batch of fork.watch({ prefix: '/', after: 0 }, never)) {
      seen.push(...batch.events.map((event) => event.revision))
      if (seen.length === 2) break
    }
    expect(seen).toEqual([one, two])
    expect(fork.liveHandles).toBe(0)
  })

  it('lets keys expire on its own', async () => {
    const clock = new ManualClock()
    const kv = openMemory({ clock })
    await putKey(kv, { key: '/a', value: Buffer.from('x'), expected: ABSENT, ttlSeconds: 10 }, never)
    const fork = kv.fork()
    await kv.close()
    expect(clock.pending).toBe(1)
    clock.advance(9_999)
    expect(await contents(fork)).toEqual({ '/a': 'x' })
    clock.advance(1)
    expect(await contents(fork)).toEqual({})
    expect(clock.pending).toBe(0)
  })

  it('takes no longer of a large store than of a small one', async () => {
    // The least of many, because a busy machine only ever makes it longer.
    const leastTime = async (keys: number): Promise<number> => {
      const kv = openMemory()
      for (let i = 0; i < keys; i++) await put(kv, `/k${i}`, 'x')
      const times = Array.from({ length: 200 }, () => {
        const began = performance.now()
        kv.fork()
        return performance.now() - began
      })
      return Math.min(...times)
    }
    // Copying would take a thousand times as long.
    expect(await leastTime(10_000)).toBeLessThan(50 * (await leastTime(10)))
  })

  it('of a fork of a fork still reads back every revision', async () => {
    let kv = openMemory()
    let revision = ABSENT
    for (let i = 0; i < 2000; i++) {
      revision = await put(kv, '/a', String(i), revision)
      if (i % 97 === 0) kv = kv.fork()
    }
    for (const at of [2, 3, 97, 98, 99, 100, 512, 513, 514, 1024, 1999, 2000, 2001]) {
      expect(await contents(kv, at)).toEqual({ '/a': String(at - 2) })
      expect((await kv.get('/a', { at }, never)).item?.value.toString()).toBe(String(at - 2))
    }
    expect(await contents(kv, 1)).toEqual({})
  })
})

describe('a snapshot', () => {
  it('is where any number of stores go on from, also after its own was written to and closed', async () => {
    const kv = openMemory()
    const one = await put(kv, '/a', 'one')
    const snapshot = kv.snapshot()
    await put(kv, '/a', 'two', one)
    await kv.close()
    const stores = [openMemory({ snapshot }), openMemory({ snapshot })]
    for (const [i, store] of stores.entries()) expect(await put(store, '/b', String(i))).toBe(one + 1)
    expect(await Promise.all(stores.map((store) => contents(store)))).toEqual([
      { '/a': 'one', '/b': '0' },
      { '/a': 'one', '/b': '1' },
    ])
  })

  it('lets nothing expire by itself', async () => {
    const clock = new ManualClock()
    const kv = openMemory({ clock })
    await putKey(kv, { key: '/a', value: Buffer.from('x'), expected: ABSENT, ttlSeconds: 10 }, never)
    const snapshot = kv.snapshot()
    await kv.close()
    expect(clock.pending).toBe(0)
    const store = openMemory({ clock, snapshot })
    expect(clock.pending).toBe(1)
    clock.advance(10_000)
    expect(await contents(store)).toEqual({})
  })

  it('is restored by writes that watches see, and only by those that are needed', async () => {
    const kv = openMemory()
    for (const key of ['/changed', '/gone', '/same', '/back']) await put(kv, key, 'then')
    const snapshot = kv.snapshot()
    const revisionOf = async (key: string): Promise<Revision> => (await kv.get(key, {}, never)).item?.revision ?? ABSENT
    const same = await revisionOf('/same')
    await put(kv, '/changed', 'now', await revisionOf('/changed'))
    await removeKey(kv, { key: '/gone', expected: await revisionOf('/gone') }, never)
    const back = await put(kv, '/back', 'then', await put(kv, '/back', 'now', await revisionOf('/back')))
    const newest = await put(kv, '/new', 'now')
    kv.restore(snapshot)
    expect(await contents(kv)).toEqual({ '/changed': 'then', '/gone': 'then', '/same': 'then', '/back': 'then' })
    expect([await revisionOf('/same'), await revisionOf('/back')]).toEqual([same, back])
    expect(await contents(kv, newest)).toEqual({ '/changed': 'now', '/same': 'then', '/back': 'then', '/new': 'now' })
    const seen: string[] = []
    for await (const { events } of kv.watch({ prefix: '/', after: newest }, never)) {
      seen.push(...events.map(({ kind, key, revision }) => `${revision - newest} ${kind} ${key}`))
      if (seen.length === 3) break
    }
    expect(seen).toEqual(['1 delete /new', '2 put /changed', '3 put /gone'])
    kv.restore(snapshot)
    expect(await kv.newestRevision(never)).toBe(newest + 3)
  })

  it('is restored with the deadlines that its keys had', async () => {
    const clock = new ManualClock()
    const kv = openMemory({ clock })
    const write = (expected: Revision, ttlSeconds?: number): Promise<WriteResult> =>
      putKey(kv, { key: '/a', value: Buffer.from('x'), expected, ttlSeconds }, never)
    const { revision } = await write(ABSENT, 10)
    const snapshot = kv.snapshot()
    await write(revision)
    expect(clock.pending).toBe(0)
    kv.restore(snapshot)
    expect(clock.pending).toBe(1)
    clock.advance(10_000)
    expect(await contents(kv)).toEqual({})
    kv.restore(snapshot)
    clock.advance(0)
    expect(await contents(kv)).toEqual({})
    await kv.close()
    expect(() => kv.restore(snapshot)).toThrow('the store is closed')
    expect(() => kv.snapshot()).toThrow('the store is closed')
  })

  it('of another store is restored as well', async () => {
    const kv = openMemory()
    const other = openMemory()
    await put(kv, '/a', 'mine')
    await put(other, '/b', 'theirs')
    kv.restore(other.snapshot())
    expect(await contents(kv)).toEqual({ '/b': 'theirs' })
  })
})

it('compaction lets go of what it forgets', async () => {
  const kv = openMemory()
  const alive: WeakRef<Buffer>[] = []
  let revision = ABSENT
  for (let i = 0; i < 3000; i++) {
    const value = Buffer.alloc(16)
    if (i % 100 === 0) alive.push(new WeakRef(value))
    revision = (await putKey(kv, { key: '/a', value, expected: revision }, never)).revision
  }
  await kv.compact(revision, never)
  await collectGarbage()
  // At most the unfinished piece of history is left over.
  expect(alive.filter((ref) => ref.deref() !== undefined).length).toBeLessThan(8)
})

it('a watcher that is behind a compaction is told at its next read', async () => {
  const kv = openMemory()
  const iterator = kv.watch({ prefix: '/', after: 1 }, never)[Symbol.asyncIterator]()
  const one = await put(kv, '/a', 'one')
  await iterator.next()
  const two = await put(kv, '/a', 'two', one)
  const three = await put(kv, '/a', 'three', two)
  await kv.compact(three, never)
  await expect(iterator.next()).rejects.toMatchObject({ code: 'compacted', compactRevision: three })
  expect(kv.liveHandles).toBe(0)
  expect(await iterator.next()).toEqual({ done: true, value: undefined })
})

it('events come in batches, not one by one', async () => {
  const kv = openMemory()
  const stop = new AbortController()
  const sizes: number[] = []
  const watching = (async () => {
    for await (const batch of kv.watch({ prefix: '/', after: 1 }, stop.signal)) sizes.push(batch.events.length)
  })().catch(() => undefined)
  await Promise.all(Array.from({ length: 200 }, (_, index) => put(kv, `/k${index}`, 'x')))
  await new Promise((resolve) => setImmediate(resolve))
  stop.abort()
  await watching
  expect(sizes).toEqual([200])
})

it('a chain of writes lets others have their turn', async () => {
  const kv = openMemory()
  let turns = 0
  const timer = setInterval(() => turns++, 0)
  for (let i = 0; i < 3000; i++) await put(kv, `/k${i % 100}x${i}`, 'x')
  clearInterval(timer)
  expect(turns).toBeGreaterThan(0)
})

it('history is kept to its limit, the oldest goes first, and what is left of it is whole', async () => {
  const limit = 2 * 1024 * 1024
  const kv = openMemory({ historyBytes: limit })
  const values = new Map<Revision, string>()
  let revision = ABSENT
  for (let i = 0; i < 6_000; i++) {
    values.set((revision = await put(kv, '/a', `${i}`.padStart(500, '.'), revision)), `${i}`)
  }
  const at = async (asked: Revision): Promise<string> =>
    String((await kv.get('/a', { at: asked }, never)).item?.value).replaceAll('.', '')
  await expect(at(revision - 4_000)).rejects.toMatchObject({ code: 'compacted' })
  for (let asked = revision - 1_000; asked <= revision; asked += 50) expect(await at(asked)).toBe(values.get(asked))
  const events: Revision[] = []
  for await (const batch of kv.watch({ prefix: '/', after: revision - 1_000 }, never)) {
    events.push(...batch.events.map((event) => event.revision))
    if (events.length >= 1_000) break
  }
  expect(events).toEqual(Array.from({ length: 1_000 }, (_, i) => revision - 999 + i))
})

it('a value does not keep the larger buffer that it came in', async () => {
  const kv = openMemory()
  await putKey(kv, { key: '/a', value: Buffer.alloc(100_000).subarray(10, 20), expected: ABSENT }, never)
  expect((await kv.get('/a', {}, never)).item?.value.buffer.byteLength).toBe(10)
})
