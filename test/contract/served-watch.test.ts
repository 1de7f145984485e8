// What our server sends on etcd's Watch call is what a real etcd sends, for the same requests and writes.
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ApiStream, EtcdApi } from '../rigs/etcd-api.ts'
import { type EtcdServer, startEtcd } from '../rigs/etcd-server.ts'
import { serveStore, type ServedStore } from '../fakes/served-store.ts'

type Json = Readonly<Record<string, unknown>>

const bytes = (text: string): string => Buffer.from(text, 'latin1').toString('base64')
const put = (key: string, value: string): [`${string}/${string}`, Json] => [
  'KV/Put',
  { key: bytes(key), value: bytes(value) },
]
const remove = (key: string): [`${string}/${string}`, Json] => ['KV/DeleteRange', { key: bytes(key) }]
const create = (key: string, end: string, more: object = {}): Json => ({
  create_request: { key: bytes(key), range_end: bytes(end), ...more },
})

const WRITES = [
  put('a', '1'),
  put('b', '1'),
  put('a', '2'),
  remove('b'),
  ['KV/Txn', { success: [{ request_put: put('a', '3')[1] }, { request_put: put('c', '3')[1] }] }],
  put('zz', '1'),
] as const

describe('etcd’s Watch call', () => {
  let etcd: EtcdServer
  let stores: readonly ServedStore[]
  let apis: readonly EtcdApi[]

  beforeEach(async () => {
    etcd = await startEtcd()
    stores = [await serveStore('in memory'), await serveStore('embedded')]
    apis = [etcd, ...stores].map(({ endpoint }) => new EtcdApi(endpoint))
  })
  afterEach(async () => {
    for (const api of apis) api[Symbol.dispose]()
    for (const store of stores) await store[Symbol.asyncDispose]()
    await etcd[Symbol.asyncDispose]()
  })

  async function write(api: EtcdApi): Promise<void> {
    for (const [method, request] of WRITES) expect(await api.call(method, request)).not.toHaveProperty('code')
  }

  /** The same with each of them: what etcd says is what the others have to say. */
  async function agree(play: (api: EtcdApi, stream: ApiStream) => Promise<unknown>): Promise<void> {
    const answers: unknown[] = []
    for (const api of apis) {
      await using stream = api.stream('Watch/Watch')
      answers.push(await play(api, stream))
    }
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
  }

  /** Batches may be cut differently: only the events count. */
  async function events(stream: ApiStream, count: number): Promise<readonly unknown[]> {
    const seen: unknown[] = []
    while (seen.length < count) seen.push(...(((await stream.next())['events'] as unknown[] | undefined) ?? []))
    return seen
  }

  it.each([
    ['all of it', create('\0', '\0', { start_revision: 1 }), 7],
    ['a key', create('a', '', { start_revision: 1 }), 3],
    ['a range', create('a', 'c', { start_revision: 2 }), 5],
    ['to the last key', create('b', '\0', { start_revision: 1 }), 4],
    ['from the middle', create('\0', '\0', { start_revision: 4 }), 5],
    ['with what was there before', create('\0', '\0', { start_revision: 1, prev_kv: true }), 7],
    ['without puts', create('\0', '\0', { start_revision: 1, filters: ['Noput'] }), 1],
    ['without deletes', create('\0', '\0', { start_revision: 1, filters: ['Nodelete'] }), 6],
    ['in fragments', create('\0', '\0', { start_revision: 1, fragment: true }), 7],
  ])('from history: %s', async (_, request, count) => {
    await agree(async (api, stream) => {
      await write(api)
      stream.send(request)
      return [await stream.next(), await events(stream, count)]
    })
  })

  it('as it happens, several on one stream', async () => {
    await agree(async (api, stream) => {
      stream.send(create('a', ''))
      stream.send(create('b', '', { watch_id: 7, prev_kv: true }))
      const created = [await stream.next(), await stream.next()]
      const seen = events(stream, 5)
      await write(api)
      const text = (await seen).map((event) => JSON.stringify(event))
      return [created, text.toSorted()]
    })
  })

  it('cancelled, refused, and told apart', async () => {
    await agree(async (_api, stream) => {
      const answers: Json[] = []
      const requests = [
        create('a', ''),
        create('b', '', { watch_id: 5 }),
        create('c', '', { watch_id: 5 }),
        create('b', 'a'),
        create('a', '', { start_revision: -4 }),
        { cancel_request: { watch_id: 5 } },
      ]
      for (const request of requests) {
        stream.send(request)
        answers.push(await stream.next())
      }
      // Nobody has it: that is passed over.
      stream.send({ cancel_request: { watch_id: 99 } })
      stream.send(create('d', ''))
      answers.push(await stream.next())
      return answers
    })
  })

  it('of what was compacted', async () => {
    await agree(async (api, stream) => {
      await write(api)
      await api.call('KV/Compact', { revision: 5 })
      stream.send(create('a', '', { start_revision: 2 }))
      const answers = [await stream.next(), await stream.next()]
      stream.send(create('a', '', { start_revision: 5 }))
      return [answers, await stream.next(), await events(stream, 1)]
    })
  })

  it('tells how far it is when it is asked', async () => {
    await agree(async (api, stream) => {
      await write(api)
      stream.send(create('nothing', ''))
      const created = await stream.next()
      // etcd does not answer before the watch is among those that are up to date.
      for (;;) {
        stream.send({ progress_request: {} })
        const answer = await Promise.race([stream.next(), delay(500)])
        if (answer !== undefined) return [created, answer]
      }
    })
  })

  it('a revision of the future is waited for', async () => {
    await agree(async (api, stream) => {
      stream.send(create('\0', '\0', { start_revision: 6 }))
      const created = await stream.next()
      await write(api)
      return [created, await events(stream, 3)]
    })
  })
})

describe('a watch of much', () => {
  it.each(['in memory', 'embedded'] as const)('comes in fragments where they are taken: %s', async (engine) => {
    await using store = await serveStore(engine)
    using api = new EtcdApi(store.endpoint)
    const value = Buffer.alloc(400_000, 'x').toString('base64')
    const success = ['a', 'b', 'c'].map((key) => ({ request_put: { key: bytes(key), value } }))
    for (let i = 0; i < 4; i++) expect(await api.call('KV/Txn', { success })).toHaveProperty('succeeded', true)
    await using stream = api.stream('Watch/Watch')
    stream.send(create('a', 'd', { start_revision: 1, fragment: true }))
    expect(await stream.next()).toHaveProperty('created', true)
    const sizes: number[] = []
    let isFragment: unknown = true
    for (let count = 0; count < 12 || isFragment === true; ) {
      const answer = await stream.next()
      const { length } = answer['events'] as unknown[]
      count += length
      sizes.push(length)
      isFragment = answer['fragment'] ?? false
    }
    expect(Math.max(...sizes)).toBeLessThanOrEqual(3)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(12)
  })

  it('is not kept for a client that does not read', async () => {
    await using store = await serveStore('in memory')
    using api = new EtcdApi(store.endpoint)
    await using stream = api.stream('Watch/Watch')
    stream.send(create('k', 'l', { start_revision: 1 }))
    expect(await stream.next()).toHaveProperty('created', true)
    const value = Buffer.alloc(1_000_000, 'x').toString('base64')
    for (let i = 0; i < 40; i++) await api.call('KV/Put', { key: bytes('k'), value })
    const revisions: unknown[] = []
    while (revisions.length < 40) {
      const answer = (await stream.next())['events'] as readonly { readonly kv: { readonly mod_revision: string } }[]
      for (const { kv } of answer) revisions.push(kv.mod_revision)
    }
    expect(revisions).toEqual(Array.from({ length: 40 }, (_, i) => `${i + 2}`))
  })
})
