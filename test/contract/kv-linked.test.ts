// The contract of the storage port at the end of a link, and what is particular to one: it ends, and it copies.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ABSENT } from '../../src/kv/kv.ts'
import { openLink } from '../../src/kv/link/link.ts'
import { linkStore, type LinkedStore } from '../fakes/linked-store.ts'
import { describeKvContract } from './kv-contract.ts'
import { failsWith } from './kv/subject.ts'

describe.each(['in memory', 'embedded'] as const)('%s', (engine) => {
  let server: LinkedStore
  let corners = 0

  beforeAll(async () => void (server = await linkStore(engine)))
  afterAll(() => server?.[Symbol.asyncDispose]())

  describeKvContract(`${engine}, linked`, {
    startsEmpty: false,
    manyKeys: 30_000,
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
      kv.put({ key: '/a', value: Buffer.from('x'), expected: ABSENT }, never),
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
    const kv = await openLink(server.path, never)
    const after = await kv.newestRevision(never)
    const watch = kv.watch({ prefix: '/', after }, never)[Symbol.asyncIterator]()
    const first = watch.next()
    const values = Array.from({ length: 200 }, (_, i) => Buffer.alloc(1 + i * 997, String.fromCharCode(65 + (i % 26))))
    for (const [i, value] of values.entries()) await kv.put({ key: `/${i}`, value, expected: ABSENT }, never)
    const lost = await Promise.all(
      values.map((_, i) => kv.put({ key: `/${i}`, value: Buffer.from('other'), expected: ABSENT }, never)),
    )
    const found = await Promise.all(values.map((_, i) => kv.get(`/${i}`, {}, never)))
    const seen: Buffer[] = []
    for (let batch = await first; seen.length < values.length; batch = await watch.next()) {
      for (const event of batch.value.events) if (event.kind === 'put') seen.push(event.value)
      if (seen.length === values.length) break
    }
    const same = (got: readonly (Buffer | undefined)[]): boolean =>
      values.every((value, i) => got[i]?.equals(value) === true)
    expect(same(lost.map((result) => (result.ok ? undefined : result.current?.value)))).toBe(true)
    expect(same(found.map(({ item }) => item?.value))).toBe(true)
    expect(same(seen)).toBe(true)
    await kv.close()
  })

  it('sends no more of a watch than a window while nobody reads it', async () => {
    await using server = await linkStore('in memory')
    const kv = await openLink(server.path, never)
    const after = await kv.newestRevision(never)
    const watch = kv.watch({ prefix: '/', after }, never)[Symbol.asyncIterator]()
    const first = watch.next()
    const sizes: number[] = []
    const value = Buffer.alloc(100_000, 'x')
    for (let i = 0; i < 100; i++) {
      await kv.put({ key: `/${i}`, value, expected: ABSENT }, never)
      sizes.push(kv.unreadBytes)
    }
    expect(Math.max(...sizes)).toBeGreaterThan(1_000_000)
    expect(Math.max(...sizes)).toBeLessThan(2_000_000)
    let events = (await first).value.events.length
    while (events < 100) events += (await watch.next()).value.events.length
    expect(events).toBe(100)
    await kv.close()
  })
})
