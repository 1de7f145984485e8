// Many keys that go in one revision: to everybody else they go at once, and nobody is held up until they are gone.
import { describe, expect, it } from 'vitest'
import { openEmbedded } from '../../src/kv/embedded/embedded.ts'
import { openMemory } from '../../src/kv/embedded/memory.ts'
import type { Transaction, TransactionalKv } from '../../src/kv/transactional.ts'
import { type MaybePromise, whenKnown } from '../../src/lib/maybe-promise.ts'
import { expectNoStall, longestStall } from '../rigs/longest-stall.ts'
import { tempFolder } from '../rigs/temp-folder.ts'
import { putKey } from '../../src/kv/kv.ts'

const { signal } = new AbortController()
const COUNT = 20_000
const RANGE = { start: '/many/', end: '/many0' }
const keyOf = (i: number): string => `/many/${String(i).padStart(6, '0')}`

/** As several revisions; and keys before and behind them. */
async function fill(kv: TransactionalKv): Promise<void> {
  for (const key of ['/man', '/many0', '/manz']) await putKey(kv, { key, value: Buffer.from('x'), expected: 0 }, signal)
  for (let from = 0; from < COUNT; from += COUNT / 4) {
    await kv.transact(
      {
        bytes: 1,
        freesSpace: false,
        run: (transaction) => {
          for (let i = from; i < from + COUNT / 4; i++) {
            transaction.put({ key: keyOf(i), value: Buffer.from(String(i)), lease: 0n })
          }
        },
      },
      signal,
    )
  }
}

function deleteRange(kv: TransactionalKv): Promise<number> {
  return kv.transact({ bytes: 0, freesSpace: true, run: (transaction) => transaction.removeRange(RANGE) }, signal)
}

async function countAt(kv: TransactionalKv, at?: number): Promise<number> {
  return (await kv.list({ ...RANGE, at, limit: 0, countAll: true }, signal)).count ?? 0
}

const ENGINES: Readonly<Record<string, (folder: string) => Promise<TransactionalKv>>> = {
  'in memory': async () => openMemory(),
  embedded: (dataDir) => openEmbedded({ dataDir }, signal),
}

async function failToDelete(kv: TransactionalKv): Promise<void> {
  const fail = (): never => {
    throw new Error('it is not to be')
  }
  const run = (transaction: Transaction): MaybePromise<never> => whenKnown(transaction.removeRange(RANGE), fail)
  await expect(kv.transact({ bytes: 0, freesSpace: true, run }, signal)).rejects.toThrow('it is not to be')
}

describe.each(Object.entries(ENGINES))('a range of many keys, %s', (_, open) => {
  it('stays where the transaction throws, and goes in one revision that a watcher is told of in one batch', async () => {
    const kv = await open(await tempFolder())
    await fill(kv)
    const before = await kv.newestRevision(signal)
    await failToDelete(kv)
    expect([await countAt(kv), await kv.newestRevision(signal)]).toEqual([COUNT, before])
    expect(await deleteRange(kv)).toBe(COUNT)
    expect(await kv.newestRevision(signal)).toBe(before + 1)
    expect([await countAt(kv), await countAt(kv, before)]).toEqual([0, COUNT])
    for await (const { events, revision } of kv.watch({ prefix: '/many/', after: before }, signal)) {
      expect([events.length, revision]).toEqual([COUNT, before + 1])
      break
    }
    const others = await kv.list({ start: '', end: undefined }, signal)
    expect(others.items.map(({ key }) => key)).toEqual(['/man', '/many0', '/manz'])
    await kv.close()
  })
})

describe('a range of many keys on the disk', () => {
  it('is whole to whoever reads, until it is gone', async () => {
    const folder = await tempFolder()
    const kv = await ENGINES['embedded']!(folder)
    await fill(kv)
    const state = { isOver: false }
    const deleting = deleteRange(kv).finally(() => (state.isOver = true))
    // Written while the range is being deleted: it comes behind it.
    const behind = putKey(kv, { key: keyOf(0), value: Buffer.from('again'), expected: 0 }, signal)
    const seen = new Set<string>()
    while (!state.isOver) {
      const { items, count } = await kv.list({ ...RANGE, limit: 1, countAll: true }, signal)
      seen.add(`${items[0]?.value.toString()} of ${count}`)
      await new Promise((resolve) => setImmediate(resolve))
    }
    const [deleted, written] = [await deleting, await behind]
    const whole = `0 of ${COUNT}`
    expect(deleted).toBe(COUNT)
    expect(seen).toContain(whole)
    expect([...seen].filter((one) => ![whole, 'undefined of 0', 'again of 1'].includes(one))).toEqual([])
    expect(written).toMatchObject({ ok: true })
    await kv.close()

    const again = await ENGINES['embedded']!(folder)
    expect([await countAt(again), await countAt(again, written.revision - 2)]).toEqual([1, COUNT])
    await again.close()
  })

  it('does not hold up the event loop while it goes', async () => {
    await expectNoStall(async () => {
      const kv = await ENGINES['embedded']!(await tempFolder())
      await fill(kv)
      const stall = await longestStall(() => deleteRange(kv))
      await kv.close()
      return stall
    })
  })
})
