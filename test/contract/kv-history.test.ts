// All that a store holds at one moment, as both embedded engines tell it.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { openEmbedded } from '../../src/kv/embedded/embedded.ts'
import { openMemory } from '../../src/kv/embedded/memory.ts'
import type { StoredChange, StoredHistory, Transaction, TransactionalKv } from '../../src/kv/transactional.ts'
import { tempFolder } from '../rigs/temp-folder.ts'

const { signal } = new AbortController()

function transact(kv: TransactionalKv, run: (transaction: Transaction) => void): Promise<void> {
  return kv.transact({ bytes: 100, freesSpace: false, run }, signal)
}

/** `key=value`; a key alone is deleted. All in one revision. */
function write(kv: TransactionalKv, ...changes: readonly string[]): Promise<void> {
  return transact(kv, (transaction) => {
    for (const change of changes) {
      const [key = '', value] = change.split('=')
      if (value === undefined) transaction.remove(key)
      else transaction.put({ key, value: Buffer.from(value), lease: 0n })
    }
  })
}

async function changesOf(history: StoredHistory): Promise<readonly StoredChange[]> {
  const all: StoredChange[] = []
  for await (const changes of history.changes(signal)) all.push(...changes)
  return all
}

async function told(history: StoredHistory): Promise<readonly string[]> {
  return (await changesOf(history)).map(({ key, revision, sub, item }) =>
    item === undefined
      ? `${revision}.${sub} ${key}`
      : `${revision}.${sub} ${key}=${item.value.toString()} v${item.version}`,
  )
}

const ENGINES: readonly (readonly [string, () => Promise<TransactionalKv>])[] = [
  ['in memory', async () => openMemory()],
  ['embedded', async () => openEmbedded({ dataDir: await tempFolder() }, signal)],
]

describe.each(ENGINES)('the history of a store, %s', (_, open) => {
  it('is every change, in order, and stays what it was', async () => {
    const kv = await open()
    await write(kv, 'a=1', 'b=1')
    await write(kv, 'a=2')
    await write(kv, 'b', 'a', 'c=3')
    await transact(kv, (transaction) => transaction.grantLease(7n, 60))
    const history = kv.openHistory()
    await write(kv, 'c=4')
    await transact(kv, (transaction) => transaction.forgetLease(7n))
    await kv.compact(5, signal)
    const wanted = ['2.0 a=1 v1', '2.1 b=1 v1', '3.0 a=2 v2', '4.0 b', '4.1 a', '4.2 c=3 v1']
    expect(await told(history)).toEqual(wanted)
    expect(await told(history)).toEqual(wanted)
    expect(history).toMatchObject({ newest: 4, oldest: 1, leases: [[7n, 60]] })
    history[Symbol.dispose]()
    await kv.close()
  })

  it('begins with what was there at the last compaction', async () => {
    const kv = await open()
    await write(kv, 'a=1', 'b=1', 'c=1')
    await write(kv, 'b=2', 'd=2')
    await write(kv, 'd')
    await write(kv, 'c', 'e=3')
    await write(kv, 'b=4')
    await kv.compact(5, signal)
    const history = kv.openHistory()
    expect(await told(history)).toEqual(['2.0 a=1 v1', '3.0 b=2 v2', '5.0 c', '5.1 e=3 v1', '6.0 b=4 v3'])
    const changes = await changesOf(history)
    const currentAt = (at: number): readonly string[] =>
      changes.filter((change) => history.isCurrentAt(change, at)).map(({ key, revision }) => `${key} ${revision}`)
    expect(currentAt(5)).toEqual(['a 2', 'b 3', 'e 5'])
    expect(currentAt(6)).toEqual(['a 2', 'e 5', 'b 6'])
    history[Symbol.dispose]()
    await kv.close()
  })

  it('does not show what a compaction has yet to remove', async () => {
    const kv = await open()
    const keys = Array.from({ length: 5000 }, (_, index) => `k${index}`)
    await write(kv, ...keys.map((key) => `${key}=1`))
    await write(kv, ...keys.slice(1))
    await write(kv, 'last=1')
    const compacting = kv.compact(4, signal)
    while (kv.oldest < 4) await nextTurn()
    const history = kv.openHistory()
    expect(await told(history)).toEqual(['2.0 k0=1 v1', '4.0 last=1 v1'])
    history[Symbol.dispose]()
    await compacting
    await kv.close()
  })

  it('of very much lets others have their turn, and ends with its signal', async () => {
    const kv = await open()
    const keys = Array.from({ length: 20_000 }, (_, index) => `k${index}`)
    await write(kv, ...keys.map((key) => `${key}=1`))
    await kv.compact(2, signal)
    await write(kv, ...keys)
    const history = kv.openHistory()
    let turns = 0
    const counting = setInterval(() => turns++)
    expect((await changesOf(history)).length).toBe(40_000)
    clearInterval(counting)
    expect(turns).toBeGreaterThan(5)
    const controller = new AbortController()
    const reading = history.changes(controller.signal)[Symbol.asyncIterator]()
    await reading.next()
    controller.abort()
    await expect(reading.next()).rejects.toThrow()
    history[Symbol.dispose]()
    await kv.close()
  })
})

it('an embedded store that is closed waits until its history is let go of, which has no more to tell', async () => {
  const kv = await openEmbedded({ dataDir: await tempFolder() }, signal)
  await write(kv, 'a=1')
  const history = kv.openHistory()
  let isClosed = false
  const closing = kv.close().then(() => (isClosed = true))
  await expect(changesOf(history)).rejects.toThrow('the store is closed')
  expect(isClosed).toBe(false)
  history[Symbol.dispose]()
  await closing
  expect(() => kv.openHistory()).toThrow('the store is closed')
})
