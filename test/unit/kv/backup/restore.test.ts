import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { restore, type RestoreOrder } from '../../../../src/kv/backup/restore.ts'
import { markerKey, unfinishedSince } from '../../../../src/kv/backup/unfinished.ts'
import type { CopiedItem } from '../../../../src/kv/copy.ts'
import { type EmbeddedKv, openEmbedded } from '../../../../src/kv/embedded/embedded.ts'
import { prefixRange, putKey } from '../../../../src/kv/kv.ts'
import { ManualClock } from '../../../fakes/manual-clock.ts'
import { tempFolder } from '../../../rigs/temp-folder.ts'

const PREFIX = '/registry/'
const { signal } = new AbortController()

describe('a restore', () => {
  it('puts every item at a revision above all old ones, which are gone, also after the store was opened again', async () => {
    const dataDir = path.join(await tempFolder(), 'store')
    const first = await open(dataDir)
    const items = newItems(1000)
    const newest = await restore(orderOf(first, items), signal)
    await first.close()
    const kv = await open(dataDir)
    expect(await kv.newestRevision(signal)).toBe(newest)
    const list = await kv.list(prefixRange(PREFIX), signal)
    expect(list.items.map(({ key, value }) => [key, value])).toEqual(items.map(({ key, value }) => [key, value]))
    expect(Math.min(...list.items.map(({ revision }) => revision))).toBeGreaterThan(5_000_000)
    for (const at of [2, 4_999_999, 5_000_000]) {
      await expect(kv.list({ ...prefixRange(PREFIX), at }, signal)).rejects.toMatchObject({ code: 'compacted' })
      const watch = kv.watch({ prefix: PREFIX, after: at }, signal)[Symbol.asyncIterator]()
      await expect(watch.next()).rejects.toMatchObject({ code: 'compacted' })
    }
    const written = await putKey(kv, { key: `${PREFIX}new`, value: Buffer.from('x'), expected: 0 }, signal)
    const live = kv.watch({ prefix: PREFIX, after: written.revision - 1 }, signal)[Symbol.asyncIterator]()
    expect((await live.next()).value).toMatchObject({ revision: written.revision, events: [{ kind: 'put' }] })
  })

  it('gives expiring items the time that they had left', async () => {
    const clock = new ManualClock()
    const kv = await open(path.join(await tempFolder(), 'store'), clock)
    const [short, long, lasting] = newItems(3)
    await restore(orderOf(kv, [{ ...short!, ttlSeconds: 1 }, { ...long!, ttlSeconds: 60 }, lasting!]), signal)
    clock.advance(10_000)
    const keys = async (): Promise<readonly string[]> =>
      (await kv.list(prefixRange(PREFIX), signal)).items.map(({ key }) => key)
    await expect.poll(keys).toEqual([long!.key, lasting!.key])
    clock.advance(60_000)
    await expect.poll(keys).toEqual([lasting!.key])
  })

  it('leaves a store alone that is not empty', async () => {
    const kv = await open(path.join(await tempFolder(), 'store'))
    await putKey(kv, { key: `${PREFIX}pods/a`, value: Buffer.from('x'), expected: 0 }, signal)
    const message = 'the store is not empty: it has /registry/pods/a'
    await expect(restore(orderOf(kv, newItems(3)), signal)).rejects.toThrow(message)
    expect(await kv.newestRevision(signal)).toBe(2)
  })

  it('has nothing under way any more once it has failed', async () => {
    const kv = await open(path.join(await tempFolder(), 'store'))
    const [first, ...others] = newItems(600)
    let underWay = 0
    const counted = new Proxy(kv, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        if (name !== 'commit') return member.bind(target) as unknown
        return async (...given: Parameters<typeof kv.commit>) => {
          underWay++
          const result = await kv.commit(...given)
          if (result.ok) await setImmediate()
          underWay--
          return result
        }
      },
    })
    // The second of two items with one key is refused while others are still being written.
    const items = [first!, first!, ...others]
    await expect(restore(orderOf(counted, items), signal)).rejects.toThrow('another program writes to the store')
    expect(underWay).toBe(0)
  })

  it('is unfinished until its end, and then begins anew', async () => {
    const kv = await open(path.join(await tempFolder(), 'store'))
    const items = newItems(700)
    const cut = async function* (): AsyncGenerator<readonly CopiedItem[]> {
      yield items.slice(0, 600)
      throw new Error('cut off')
    }
    await expect(restore({ ...orderOf(kv, []), pages: cut() }, signal)).rejects.toThrow('cut off')
    expect(await unfinishedSince(kv, PREFIX, signal)).toBe('2026-01-02T03:04:05.000Z')
    const check = async (): Promise<void> => {
      throw new Error('not as it should be')
    }
    await expect(restore({ ...orderOf(kv, items), check }, signal)).rejects.toThrow('not as it should be')
    expect((await kv.get(markerKey(PREFIX), {}, signal)).item).toBeDefined()

    await restore(orderOf(kv, items.slice(100)), signal)
    expect(await unfinishedSince(kv, PREFIX, signal)).toBeUndefined()
    expect((await kv.list(prefixRange(PREFIX), signal)).items).toHaveLength(600)
  })

  it('gives way to another one that has begun at the same time', async () => {
    const kv = await open(path.join(await tempFolder(), 'store'))
    const first: Pick<RestoreOrder['kv'], 'get' | 'list' | 'commit'> = {
      get: (...args) => kv.get(...args),
      list: (...args) => kv.list(...args),
      commit: async ({ expected, writes }, ...args) => {
        await kv.commit({ expected, writes: writes.map(({ key }) => ({ key, value: Buffer.from('other') })) }, ...args)
        return kv.commit({ expected, writes }, ...args)
      },
    }
    const order = { ...orderOf(kv, newItems(3)), kv: first as RestoreOrder['kv'] }
    await expect(restore(order, signal)).rejects.toThrow('another restore into the store has begun')
    expect(await unfinishedSince(kv, PREFIX, signal)).toBe('other')
  })

  it('names the item that the store does not take', async () => {
    const kv = await open(path.join(await tempFolder(), 'store'))
    const large = { ...newItems(1)[0]!, value: Buffer.alloc(2_000_000) }
    await expect(restore(orderOf(kv, [large]), signal)).rejects.toThrow(
      /^\/registry\/configmaps\/default\/0000: value is/,
    )
  })
})

async function open(dataDir: string, clock?: ManualClock): Promise<EmbeddedKv> {
  const kv = await openEmbedded({ dataDir, ...(clock === undefined ? {} : { clock }) }, signal)
  onTestFinished(() => kv.close())
  return kv
}

function newItems(count: number): readonly CopiedItem[] {
  return Array.from({ length: count }, (_, i) => ({
    key: `${PREFIX}configmaps/default/${String(i).padStart(4, '0')}`,
    value: randomBytes(50),
    revision: i + 2,
    createRevision: i + 2,
  }))
}

function orderOf(kv: EmbeddedKv, items: readonly CopiedItem[]): RestoreOrder {
  const pages = async function* (): AsyncGenerator<readonly CopiedItem[]> {
    for (let at = 0; at < items.length; at += 300) yield items.slice(at, at + 300)
  }
  const time = new Date('2026-01-02T03:04:05Z')
  return { kv, prefix: PREFIX, pages: pages(), above: 5_000_000, time, onProgress: () => undefined }
}
