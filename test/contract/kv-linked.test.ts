// The contract of the storage port at the end of a link, and what is particular to one: it ends, and it copies.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ABSENT, type Kv, type KvError, type KvWatch, putKey } from '../../src/kv/kv.ts'
import { openLink } from '../../src/kv/link/link.ts'
import { linkStore, type LinkedStore } from '../fakes/linked-store.ts'
import { IS_WHOLE } from '../rigs/whole.ts'
import { describeKvContract } from './kv-contract.ts'
import { failsWith } from './kv/subject.ts'

describe.each(IS_WHOLE ? (['in memory', 'embedded'] as const) : (['embedded'] as const))('%s', (engine) => {
  let server: LinkedStore
  let corners = 0

  beforeAll(async () => void (server = await linkStore(engine)))
  afterAll(() => server?.[Symbol.asyncDispose]())

  describeKvContract(`${engine}, linked`, {
    startsEmpty: false,
    manyKeys: 10_000,
    open: async () => {
      const kv = await openLink(server.path, AbortSignal.timeout(60_000))
      return { kv, prefix: `/corner-${corners++}/`, liveHandles: () => kv.liveHandles }
    },
  })
})

const never = new AbortController().signal

describe('a link', () => {
  it('that is lost leaves nothing hanging', async () => {
    await using server = await linkStore('in memory')
    const kv = await openLink(server.path, never)
    const after = await kv.newestRevision(never)
    const waiting = kv.watch({ prefix: '/', after }, never)[Symbol.asyncIterator]().next()
    await kv.newestRevision(never)
    const [write, read] = [
      putKey(kv, { key: '/a', value: Buffer.from('x'), expected: ABSENT }, never),
      kv.get('/a', {}, never),
    ]
    const failed = [failsWith('unavailable', waiting), failsWith('unknown', write), failsWith('unavailable', read)]
    await server.cut()
    await Promise.all(failed)
    await failsWith('unavailable', kv.newestRevision(never))
    expect(kv.liveHandles).toBe(0)
  })

  it('that leads nowhere says so', async () => {
    await failsWith('unavailable', openLink('/nowhere/store.sock', never))
  })

  it('hands out values that stay as they are while more is read', async () => {
    await using server = await linkStore('in memory')
    const [kv, writer] = [await openLink(server.path, never), await openLink(server.path, never)]
    const after = await kv.newestRevision(never)
    const watch = kv.watch({ prefix: '/', after }, never)[Symbol.asyncIterator]()
    const first = watch.next()
    const values = Array.from({ length: 200 }, (_, i) => Buffer.alloc(1 + i * 997, String.fromCharCode(65 + (i % 26))))
    for (const [i, value] of values.entries()) await putKey(writer, { key: `/${i}`, value, expected: ABSENT }, never)
    const lost = await Promise.all(
      values.map((_, i) => putKey(kv, { key: `/${i}`, value: Buffer.from('other'), expected: ABSENT }, never)),
    )
    const found = await Promise.all(values.map((_, i) => kv.get(`/${i}`, {}, never)))
    const seen: Buffer[] = []
    for (let batch = await first; ; batch = await watch.next()) {
      for (const event of batch.value.events) if (event.kind === 'put') seen.push(event.value)
      if (seen.length === values.length) break
    }
    const same = (got: readonly (Buffer | undefined)[]): boolean =>
      values.every((value, i) => got[i]?.equals(value) === true)
    expect(same(lost.map((result) => (result.ok ? undefined : result.current?.value)))).toBe(true)
    expect(same(found.map(({ item }) => item?.value))).toBe(true)
    expect(same(seen)).toBe(true)
    await Promise.all([kv.close(), writer.close()])
  })

  it.each(['in memory', 'embedded'] as const)(
    'sees its own writes and those of another in their order, whichever began when, %s',
    async (engine) => {
      await using server = await linkStore(engine)
      const links = await Promise.all([1, 2].map(() => openLink(server.path, never)))
      const after = await links[0]!.newestRevision(never)
      const told = (kv: Kv, count: number): Promise<readonly string[]> =>
        tell(kv.watch({ prefix: '/', after }, never), count)
      const watches = links.flatMap((kv) => [told(kv, 50), told(kv, 600)])
      const written = new Map<number, string>()
      await Promise.all(
        links.map(async (kv, link) => {
          for (let i = 0; i < 300; i++) {
            const text = `${link} ${i}`
            const put = { key: `/${link}/${i % 7}-${Math.floor(i / 7)}`, value: Buffer.from(text), expected: ABSENT }
            const { revision } = await putKey(kv, put, never)
            written.set(revision, text)
            if (i % 100 === 50) watches.push(told(kv, 600))
          }
        }),
      )
      const inOrder = [...written].toSorted(([a], [b]) => a - b).map(([, text]) => text)
      for (const seen of await Promise.all(watches)) expect(seen).toEqual(inOrder.slice(0, seen.length))
      for (const kv of links) await kv.close()
    },
  )

  it('sends no more of a watch than a window while nobody reads it', async () => {
    await using server = await linkStore('in memory')
    const [kv, writer] = [await openLink(server.path, never), await openLink(server.path, never)]
    const after = await kv.newestRevision(never)
    const watch = kv.watch({ prefix: '/', after }, never)[Symbol.asyncIterator]()
    const first = watch.next()
    const value = Buffer.alloc(100_000, 'x')
    let most = 0
    for (let i = 0; i < 100; i++) {
      await putKey(writer, { key: `/${i}`, value, expected: ABSENT }, never)
      await kv.newestRevision(never)
      most = Math.max(most, kv.unreadBytes)
    }
    expect(most).toBeGreaterThan(1_000_000)
    expect(most).toBeLessThan(2_000_000)
    let events = (await first).value.events.length
    while (events < 100) events += (await watch.next()).value.events.length
    expect(events).toBe(100)
    await kv.close()
  })
})

describe('the newest revision at the end of a link', () => {
  it('is known without asking where all of it has come', async () => {
    await using server = await linkStore('in memory')
    const [kv, writer] = [await openLink(server.path, never), await openLink(server.path, never)]
    const watch = kv.watch({ prefix: '/', after: await kv.newestRevision(never) }, never)[Symbol.asyncIterator]()
    const told = watch.next()
    const { revision } = await putKey(writer, { key: '/a', value: Buffer.from('x'), expected: ABSENT }, never)
    await told
    const asked = kv.newestRevision(never)
    // The watch; no call is under way.
    expect(kv.liveHandles).toBe(1)
    expect(await asked).toBe(revision)
    await server.cut()
    const refusal = async (): Promise<unknown> => kv.newestRevision(never).catch(({ code }: KvError) => code)
    await expect.poll(refusal).toBe('unavailable')
  })

  it.each(['in memory', 'embedded'] as const)('is never older than what anybody was told, %s', async (engine) => {
    await using server = await linkStore(engine)
    const links = await Promise.all(Array.from({ length: 4 }, () => openLink(server.path, never)))
    const after = await links[0]!.newestRevision(never)
    let known = after
    let [checks, late] = [0, 0]
    const check = async (): Promise<void> => {
      for (const kv of links) {
        const before = known
        const newest = await kv.newestRevision(never)
        checks++
        if (newest < before) late++
      }
    }
    const stop = new AbortController()
    const following = links.map(async (kv) => {
      for await (const { revision } of kv.watch({ prefix: '/', after }, stop.signal)) {
        known = Math.max(known, revision)
        await check()
      }
    })
    const writing = links.map(async (kv, link) => {
      for (let i = 0; i < 50; i++) {
        // Some go by themselves, of which nobody is told but by watches.
        const ttl = i % 10 === 0 ? { ttlSeconds: 1 } : {}
        const written = await putKey(
          kv,
          { key: `/${link}/${i}`, value: Buffer.from('x'), expected: ABSENT, ...ttl },
          never,
        )
        known = Math.max(known, written.revision)
        await check()
      }
    })
    await Promise.all(writing)
    await expect.poll(() => known).toBeGreaterThan(after + 200)
    stop.abort()
    await Promise.allSettled(following)
    expect(late).toBe(0)
    expect(checks).toBeGreaterThan(1000)
  })
})

/** The values of so many puts, as they are told. */
async function tell(watch: KvWatch, count: number): Promise<readonly string[]> {
  const told: string[] = []
  for await (const { events } of watch) {
    for (const event of events) told.push(event.kind === 'put' ? event.value.toString() : '')
    if (told.length >= count) break
  }
  return told
}
