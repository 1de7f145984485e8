// Answers of many keys: written in pieces that are the same bytes as the whole, few at a time.
import http2 from 'node:http2'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { AnswerPlaces } from '../../../../src/kv/serve/answer-places.ts'
import { systemClock } from '../../../../src/lib/clock.ts'
import { RangeResponse } from '../../../../src/kv/gen/rpc.ts'
import { encode } from '../../../../src/kv/rpc.ts'
import { headerOf } from '../../../../src/kv/serve/identity.ts'
import { rangePieces } from '../../../../src/kv/serve/range-pieces.ts'
import type { StoredItem } from '../../../../src/kv/transactional.ts'
import { EtcdApi } from '../../../rigs/etcd-api.ts'
import { ALL, put, range } from '../../../rigs/etcd-requests.ts'
import { serveStore } from '../../../fakes/served-store.ts'

const identity = { clusterId: 7n, memberId: 2n ** 63n + 1n, name: 'm', raftTerm: 1 }

describe('a range in pieces', () => {
  const numbers = [1, 127, 128, 16_383, 16_384, 2 ** 21, 2 ** 28, 2 ** 35, 2 ** 50]
  const items: StoredItem[] = numbers.flatMap((revision, i) =>
    ['key', 'schlüssel', '\udcff\udc80x', 'k'.repeat(300)].map((key, at) => ({
      key: `${key}${i}`,
      value: Buffer.alloc([0, 5, 200, 300_000][at]!, 'v'),
      revision,
      createRevision: numbers[numbers.length - 1 - i]!,
      version: at === 0 ? 0 : revision,
      lease: [0n, 1n, -1n, 2n ** 62n][at]!,
      sub: 0,
    })),
  )
  it.each([
    ['values', { keysOnly: false, more: true, items }],
    ['keys', { keysOnly: true, more: false, items }],
    ['nothing', { keysOnly: false, more: false, items: [] }],
  ])('of %s is the same bytes', (_name, { keysOnly, more, items: some }) => {
    const kvs = some.map(({ value, ...kv }) => (keysOnly ? kv : { ...kv, value }))
    const answer = { header: { revision: 2 ** 40 }, kvs, more, count: some.length * 1000 }
    const whole = encode(RangeResponse, { ...answer, header: headerOf(identity, answer.header.revision) })
    const { bytes, pieces } = rangePieces(answer, identity)
    const joined = Buffer.concat([...pieces])
    expect(joined.equals(whole)).toBe(true)
    expect(bytes).toBe(joined.length)
  })
})

describe('places for large answers', () => {
  const signal = new AbortController().signal
  it('are given to one connection after the other', async () => {
    const places = new AnswerPlaces(systemClock)
    const [one, other] = [{}, {}]
    const held = await Promise.all(Array.from({ length: 4 }, () => places.take(one, signal)))
    const order: string[] = []
    const abort = new AbortController()
    const calls = [
      ...['a1', 'a2', 'a3'].map((name) => [name, one] as const),
      ...['b1', 'b2'].map((name) => [name, other] as const),
    ].map(async ([name, connection]) => {
      using _ = await places.take(connection, name === 'a2' ? abort.signal : signal)
      order.push(name)
    })
    abort.abort()
    await expect(calls[1]).rejects.toThrow()
    held[0]![Symbol.dispose]()
    await Promise.allSettled(calls)
    expect(order).toEqual(['a1', 'b1', 'a3', 'b2'])
    for (const place of held.slice(1)) place[Symbol.dispose]()
    await Promise.all(Array.from({ length: 4 }, () => places.take(one, signal)))
  })
})

it('a hundred ranges that their clients do not take are not in memory, and hold no other client up', async () => {
  await using store = await serveStore('in memory')
  using api = new EtcdApi(store.endpoint)
  const value = Buffer.alloc(8192, 'v').toString()
  for (let i = 0; i < 500; i++) {
    await api.call(...put(`k${i}`, value))
  }
  const session = http2.connect(store.endpoint, { settings: { initialWindowSize: 1000 } })
  const before = process.memoryUsage().arrayBuffers
  const headers = {
    ':method': 'POST',
    ':path': '/etcdserverpb.KV/Range',
    'content-type': 'application/grpc',
    te: 'trailers',
  }
  // From the smallest key to the last one.
  const everything = Buffer.of(0, 0, 0, 0, 6, 0x0a, 1, 0, 0x12, 1, 0)
  const streams = Array.from({ length: 100 }, () => {
    const stream = session.request(headers).pause()
    stream.on('error', () => undefined).end(everything)
    return stream
  })
  await once(streams[0]!, 'response')
  for (let i = 0; i < 20; i++)
    expect(await api.call(...range(...ALL, { count_only: true }))).toMatchObject({ count: '500' })
  // Together they have 400 MB.
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50e6)
  session.destroy()
})
