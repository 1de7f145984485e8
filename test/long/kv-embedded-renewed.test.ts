// The durable engine where its file is opened anew after every commit: nobody notices.
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openEmbedded } from '../../src/kv/embedded/embedded.ts'
import { MappedMemory } from '../../src/kv/embedded/mapped-memory.ts'
import { ABSENT, prefixRange, putKey } from '../../src/kv/kv.ts'
import { ManualClock } from '../fakes/manual-clock.ts'
import { tempFolder } from '../rigs/temp-folder.ts'
import { describeKvContract } from '../contract/kv-contract.ts'

class AlwaysTooMuch extends MappedMemory {
  renewals = 0

  override get isTooMuch(): boolean {
    return true
  }

  override renewed(): void {
    this.renewals++
  }
}

describeKvContract('embedded, opened anew all the time', {
  startsEmpty: true,
  open: async () => {
    const clock = new ManualClock()
    const mapped = new AlwaysTooMuch()
    const kv = await openEmbedded({ dataDir: await tempFolder(), clock, mapped }, new AbortController().signal)
    return { kv, prefix: '/registry/', liveHandles: () => kv.liveHandles, advance: (ms) => clock.advance(ms) }
  },
})

it('reads, lists, watches and writes beside each other see all of it, whenever the file is opened anew', async () => {
  const { signal } = new AbortController()
  const mapped = new AlwaysTooMuch()
  const kv = await openEmbedded({ dataDir: await tempFolder(), mapped }, signal)
  const watched: number[] = []
  const stop = new AbortController()
  const watching = (async () => {
    for await (const { events } of kv.watch({ prefix: '/', after: 1 }, stop.signal)) {
      watched.push(...events.map(({ revision }) => revision))
    }
  })().catch(() => {})
  const writer = async (name: string): Promise<void> => {
    let expected = ABSENT
    for (let i = 0; i < 60; i++) {
      const result = await putKey(kv, { key: `/${name}`, value: Buffer.alloc(5_000, i), expected }, signal)
      expect(result.ok).toBe(true)
      expected = result.revision
    }
  }
  const over = new AbortController()
  const reader = async (read: () => Promise<unknown>): Promise<void> => {
    for (; !over.signal.aborted; await setImmediate()) await read()
  }
  const names = ['a', 'b', 'c', 'd']
  const readers = [
    reader(() => kv.get('/a', {}, signal)),
    reader(() => kv.list(prefixRange('/'), signal)),
    reader(async () => kv.get('/b', { at: await kv.newestRevision(signal) }, signal)),
  ]
  await Promise.all(names.map(writer)).finally(() => over.abort())
  await Promise.all(readers)
  expect(mapped.renewals).toBeGreaterThan(20)
  const newest = await kv.newestRevision(signal)
  await expect.poll(() => watched.length).toBe(newest - 1)
  expect(watched).toEqual(Array.from({ length: newest - 1 }, (_, i) => i + 2))
  stop.abort()
  await watching
  const { items } = await kv.list(prefixRange('/'), signal)
  expect(items.map(({ key, value }) => `${key} ${value[0]}`)).toEqual(names.map((name) => `/${name} 59`))
  await kv.close()
})

it('a file that was moved away is not opened anew: that would be an empty one', async () => {
  const { signal } = new AbortController()
  const mapped = new AlwaysTooMuch()
  const dataDir = await tempFolder()
  const kv = await openEmbedded({ dataDir, mapped }, signal)
  const first = await putKey(kv, { key: '/a', value: Buffer.from('1'), expected: ABSENT }, signal)
  await expect.poll(() => mapped.renewals).toBeGreaterThan(0)
  await rename(join(dataDir, 'data.mdb'), join(dataDir, 'moved'))
  const { renewals } = mapped
  const second = await putKey(kv, { key: '/a', value: Buffer.from('2'), expected: first.revision }, signal)
  await putKey(kv, { key: '/b', value: Buffer.from('3'), expected: ABSENT }, signal)
  expect(mapped.renewals).toBe(renewals)
  expect((await kv.get('/a', {}, signal)).item).toMatchObject({ revision: second.revision })
  await rename(join(dataDir, 'moved'), join(dataDir, 'data.mdb'))
  await putKey(kv, { key: '/c', value: Buffer.from('4'), expected: ABSENT }, signal)
  await expect.poll(() => mapped.renewals).toBeGreaterThan(renewals)
  expect((await kv.list(prefixRange('/'), signal)).items).toHaveLength(3)
  await kv.close()
})

it('a store is closed whatever its lists have just asked for', async () => {
  const { signal } = new AbortController()
  const kv = await openEmbedded({ dataDir: await tempFolder(), mapped: new AlwaysTooMuch() }, signal)
  for (let i = 0; i < 20; i++) {
    await putKey(kv, { key: `/${i}`, value: Buffer.alloc(1_000_000, i), expected: ABSENT }, signal)
  }
  const lists = Array.from({ length: 5 }, () => kv.list(prefixRange('/'), signal))
  await setImmediate()
  await kv.close()
  const values = (await Promise.all(lists)).map(({ items }) => items.map(({ value }) => value[999_999]))
  const written = Array.from({ length: 20 }, (_, i) => i).sort((a, b) => (String(a) < String(b) ? -1 : 1))
  expect(values).toEqual(Array.from({ length: 5 }, () => written))
})
