import { describe, expect, it } from 'vitest'
import { openEmbedded } from '../../src/kv/embedded/embedded.ts'
import { openMemory } from '../../src/kv/embedded/memory.ts'
import type { StoredEvent, Transaction, TransactionalKv } from '../../src/kv/transactional.ts'
import { expectNoStall, longestStall } from '../rigs/longest-stall.ts'
import { tempFolder } from '../rigs/temp-folder.ts'
import { putKey } from '../../src/kv/kv.ts'

const { signal } = new AbortController()
const ALL = { start: '', end: undefined }

function transact<Result>(kv: TransactionalKv, run: (transaction: Transaction) => Result): Promise<Result> {
  return kv.transact({ bytes: 100, freesSpace: false, run }, signal)
}

function put(kv: TransactionalKv, items: Readonly<Record<string, string>>, lease = 0n): Promise<number> {
  return transact(kv, (transaction) => {
    for (const [key, value] of Object.entries(items)) transaction.put({ key, value: Buffer.from(value), lease })
    return transaction.newest
  })
}

async function contents(kv: TransactionalKv, at?: number): Promise<Record<string, string>> {
  const { items } = await kv.list({ ...ALL, at }, signal)
  return Object.fromEntries(
    items.map(({ key, value, revision, version }) => [key, `${value.toString()} ${revision} ${version}`]),
  )
}

async function eventsAfter(kv: TransactionalKv, after: number, count: number): Promise<readonly StoredEvent[][]> {
  const batches: StoredEvent[][] = []
  for await (const { events } of kv.watchRange({ ...ALL, after, withPrevious: true }, signal)) {
    batches.push([...events])
    if (batches.flat().length >= count) break
  }
  return batches
}

const ENGINES: readonly (readonly [string, () => Promise<TransactionalKv>])[] = [
  ['in memory', async () => openMemory()],
  ['embedded', async () => openEmbedded({ dataDir: await tempFolder() }, signal)],
]

describe.each(ENGINES)('transactions, %s', (_, open) => {
  it('write several keys in one revision, and count the puts of each', async () => {
    const kv = await open()
    expect(await put(kv, { a: '1', b: '1' })).toBe(2)
    expect(await put(kv, { b: '2', c: '2' })).toBe(3)
    const created = await putKey(kv, { key: 'd', value: Buffer.from('3'), expected: 0 }, signal)
    expect(created.revision).toBe(4)
    expect(await contents(kv)).toEqual({ a: '1 2 1', b: '2 3 2', c: '2 3 1', d: '3 4 1' })
    expect(await contents(kv, 2)).toEqual({ a: '1 2 1', b: '1 2 1' })
    expect(await contents(kv, 3)).toEqual({ a: '1 2 1', b: '2 3 2', c: '2 3 1' })
    await kv.close()
  })

  it('see what they have written, and what was written before in the same commit', async () => {
    const kv = await open()
    const first = put(kv, { b: 'x', d: 'x' })
    const second = transact(kv, (transaction) => {
      transaction.put({ key: 'c', value: Buffer.from('y'), lease: 0n })
      transaction.remove('b')
      const names = transaction.items(ALL, 10).map(({ key, revision }) => `${key} ${revision}`)
      return { names, keys: transaction.keys({ start: 'd', end: 'e' }), one: transaction.items(ALL, 1).length }
    })
    await first
    expect(await second).toEqual({ names: ['c 3', 'd 2'], keys: ['d'], one: 1 })
    expect(await contents(kv)).toEqual({ c: 'y 3 1', d: 'x 2 1' })
    await kv.close()
  })

  it('that throw have written nothing', async () => {
    const kv = await open()
    await put(kv, { a: '1' })
    const failing = transact(kv, (transaction) => {
      transaction.put({ key: 'a', value: Buffer.from('2'), lease: 0n })
      transaction.put({ key: 'b', value: Buffer.from('2'), lease: 0n })
      throw new Error('no')
    })
    const next = put(kv, { c: '3' })
    await expect(failing).rejects.toThrow('no')
    expect(await next).toBe(3)
    expect(await contents(kv)).toEqual({ a: '1 2 1', c: '3 3 1' })
    await kv.close()
  })

  it('without a change make no revision', async () => {
    const kv = await open()
    await put(kv, { a: '1' })
    expect(await transact(kv, ({ newest, before }) => [newest, before])).toEqual([2, 2])
    expect(await kv.newestRevision(signal)).toBe(2)
    await kv.close()
  })

  it.each(['live', 'history'])('are one batch to a watcher, with what was there before: %s', async (when) => {
    const kv = await open()
    const seen = when === 'live' ? eventsAfter(kv, 1, 4) : undefined
    await put(kv, { a: '1', b: '1' })
    await transact(kv, (transaction) => {
      transaction.remove('a')
      transaction.put({ key: 'b', value: Buffer.from('2'), lease: 0n })
    })
    const batches = await (seen ?? eventsAfter(kv, 1, 4))
    for (const batch of batches) expect(batch.length % 2).toBe(0)
    const events = batches.flat()
    expect(events.map((event) => (event.kind === 'put' ? `put ${event.item.key}` : `delete ${event.key}`))).toEqual([
      'put a',
      'put b',
      'delete a',
      'put b',
    ])
    expect(events.map(({ previous }) => previous?.value.toString())).toEqual([undefined, undefined, '1', '1'])
    await kv.close()
  })

  it('a watcher begins at any revision of those with several changes', async () => {
    const kv = await open()
    for (let round = 0; round < 5; round++) await put(kv, { a: `${round}`, b: `${round}`, c: `${round}` })
    for (let after = 1; after < 6; after++) {
      const events = (await eventsAfter(kv, after, 3 * (6 - after))).flat()
      expect(events.map((event) => (event.kind === 'put' ? event.item.revision : 0))).toEqual(
        Array.from({ length: 3 * (6 - after) }, (_unused, i) => after + 1 + Math.floor(i / 3)),
      )
    }
    await kv.close()
  })

  it('are compacted change by change', async () => {
    const kv = await open()
    await put(kv, { a: '1', b: '1', c: '1' })
    await put(kv, { b: '2' })
    await transact(kv, (transaction) => {
      transaction.remove('a')
      transaction.remove('b')
    })
    await put(kv, { d: '4', e: '4' })
    await kv.compact(4, signal)
    expect(await contents(kv, 4)).toEqual({ c: '1 2 1' })
    const events = (await eventsAfter(kv, 3, 4)).flat()
    expect(events.map(({ kind }) => kind)).toEqual(['delete', 'delete', 'put', 'put'])
    await kv.compact(5, signal)
    expect(await contents(kv)).toEqual({ c: '1 2 1', d: '4 5 1', e: '4 5 1' })
    await expect(kv.list({ ...ALL, at: 4 }, signal)).rejects.toMatchObject({ code: 'compacted' })
    await kv.close()
  })

  it('take keys of any bytes, in their order', async () => {
    const kv = await open()
    // The bytes 61 80, 61 c3 41, 61 c3 a4, 61 ff and 62.
    const keys = ['a\udc80', 'a\udcc3A', 'aä', 'a\udcff', 'b']
    await put(kv, Object.fromEntries(keys.toReversed().map((key) => [key, 'x'])))
    const { items } = await kv.list(ALL, signal)
    expect(items.map(({ key }) => key)).toEqual(keys)
    const some = await transact(kv, (transaction) => transaction.items({ start: 'a\udcc3', end: 'a\udcff' }, 10))
    expect(some.map(({ key }) => key)).toEqual(keys.slice(1, 3))
    await kv.close()
  })

  it('know leases and their keys', async () => {
    const kv = await open()
    const [one, last] = [1n, -1n]
    await transact(kv, (transaction) => {
      transaction.grantLease(one, 10)
      transaction.grantLease(last, 20)
    })
    expect(await kv.newestRevision(signal)).toBe(1)
    await put(kv, { a: '1', b: '1' }, one)
    await put(kv, { c: '1' }, last)
    await put(kv, { b: '2' }, last)
    const keys = (lease: bigint) => transact(kv, (transaction) => transaction.keysOfLease(lease).toSorted())
    expect([await keys(one), await keys(last), await keys(2n)]).toEqual([['a'], ['b', 'c'], []])
    expect(Object.fromEntries(kv.leases())).toEqual({ '1': 10, '-1': 20 })
    await transact(kv, (transaction) => {
      for (const key of transaction.keysOfLease(last)) transaction.remove(key)
      transaction.forgetLease(last)
    })
    expect([await keys(last), Object.fromEntries(kv.leases())]).toEqual([[], { '1': 10 }])
    expect((await kv.list(ALL, signal)).items.map(({ lease }) => lease)).toEqual([one])
    await kv.close()
  })

  it('of very many keys are compacted in pieces between which the event loop goes on', async () => {
    const keys = Array.from({ length: 30_000 }, (_, index) => `k${index}`)
    const value = Buffer.alloc(0)
    await expectNoStall(async () => {
      const kv = await open()
      await transact(kv, (transaction) => keys.forEach((key) => transaction.put({ key, value, lease: 0n })))
      const last = await transact(kv, (transaction) => {
        for (const key of keys) transaction.remove(key)
        return transaction.newest
      })
      await put(kv, { a: '1' })
      const stall = await longestStall(() => kv.compact(last + 1, signal))
      expect(await contents(kv)).toEqual({ a: '1 4 1' })
      await kv.close()
      return stall
    })
  })
})

it('what a transaction wrote is there when the folder is opened again', async () => {
  const dataDir = await tempFolder()
  const before = await openEmbedded({ dataDir }, signal)
  await transact(before, (transaction) => transaction.grantLease(7n, 60))
  await put(before, { a: '1', b: '1' })
  await put(before, { b: '2', c: '2' }, 7n)
  await before.close()
  const kv = await openEmbedded({ dataDir }, signal)
  expect(await contents(kv)).toEqual({ a: '1 2 1', b: '2 3 2', c: '2 3 1' })
  expect(await contents(kv, 2)).toEqual({ a: '1 2 1', b: '1 2 1' })
  expect(await transact(kv, (transaction) => transaction.keysOfLease(7n))).toEqual(['b', 'c'])
  expect([...kv.leases()]).toEqual([[7n, 60]])
  await kv.close()
})
