// Large ranges on etcd as one call, where the member has it, and in pages where it has not: the same keys either way.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Etcd, type EtcdOptions, openEtcd } from '../../src/kv/etcd/etcd.ts'
import { ABSENT, type KeyValue, prefixRange, putKey, type Revision } from '../../src/kv/kv.ts'
import { openKvStore } from '../../src/store/kv-store.ts'
import { serveStore } from '../fakes/served-store.ts'
import { startTcpProxy } from '../fakes/tcp-proxy.ts'
import { type EtcdServer, startEtcd } from '../rigs/etcd-server.ts'
import { IS_WHOLE } from '../rigs/whole.ts'

const signal = new AbortController().signal
const GROUP = 100
const GROUPS = 20
const VALUE = Buffer.alloc(4_000, 'v')

async function putGroup(kv: Etcd, prefix: string): Promise<Revision> {
  const keys = Array.from({ length: GROUP }, (_, i) => `${prefix}${100 + i}`)
  const expected = keys.map((key) => ({ key, revision: ABSENT }))
  const { revision } = await kv.commit({ expected, writes: keys.map((key) => ({ key, value: VALUE })) }, signal)
  return revision
}

type Server = Pick<EtcdServer, 'endpoint'> & AsyncDisposable

const START: Readonly<Record<string, () => Promise<Server>>> = {
  'etcd, newest version': () => startEtcd(),
  'our own server': () => serveStore('in memory'),
  'our own server on a disk': () => serveStore('embedded'),
}

describe.each(Object.keys(START))('a stream of a range: %s', (kind) => {
  let server: Server
  let corner = 0
  let prefix: string
  const opened: AsyncDisposable[] = []
  beforeAll(async () => {
    server = await START[kind]!()
  })
  afterEach(async () => {
    for (const resource of opened.splice(0).toReversed()) await resource[Symbol.asyncDispose]()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  async function open(endpoint = server.endpoint, more: Partial<EtcdOptions> = {}): Promise<Etcd> {
    prefix = `/streams-${corner++}/`
    const kv = await openEtcd({ endpoints: [endpoint], prefix, ...more }, signal)
    opened.push({ [Symbol.asyncDispose]: () => kv.close() })
    return kv
  }

  /** 2,000 keys of eight megabytes; the revision of the last. */
  async function fill(kv: Etcd): Promise<Revision> {
    let last = 0
    for (let group = 0; group < GROUPS; group++) {
      last = await putGroup(kv, `${prefix}things/${1_000 + group}/`)
    }
    return last
  }

  const streamOf = async (kv: Etcd, at: Revision): Promise<AsyncIterable<readonly KeyValue[]>> => {
    const stream = await kv.stream({ ...prefixRange(prefix), at }, signal)
    if (stream === undefined) throw new Error('there is no stream')
    return stream
  }

  async function read(stream: AsyncIterable<readonly KeyValue[]>): Promise<KeyValue[]> {
    const all: KeyValue[] = []
    for await (const piece of stream) {
      expect(piece.length).toBeGreaterThan(0)
      all.push(...piece)
    }
    return all
  }

  it('has all keys in their order, as of its revision, whatever is written meanwhile', async () => {
    const kv = await open()
    const at = await fill(kv)
    const { items } = await kv.list({ ...prefixRange(prefix), at }, signal)
    const stream = await streamOf(kv, at)
    await putKey(kv, { key: `${prefix}things/1000/150a`, value: Buffer.from('x'), expected: ABSENT }, signal)
    const first = items[0]!
    await putKey(kv, { key: first.key, value: Buffer.from('x'), expected: first.revision }, signal)
    const found = await read(stream)
    expect(found).toHaveLength(GROUP * GROUPS)
    expect(found).toEqual(items)
    expect(kv.liveHandles).toBe(0)
  })

  it('of nothing has no piece', async () => {
    const kv = await open()
    expect(await read(await streamOf(kv, await kv.newestRevision(signal)))).toEqual([])
  })

  it('may be left early, and holds nothing then', async () => {
    const kv = await open()
    const stream = await streamOf(kv, await fill(kv))
    for await (const piece of stream) {
      expect(piece[0]!.key).toBe(`${prefix}things/1000/100`)
      break
    }
    await expect.poll(() => kv.liveHandles).toBe(0)
  })

  it('ends with the engine', async () => {
    const kv = await open()
    const pieces = (await streamOf(kv, await fill(kv)))[Symbol.asyncIterator]()
    await pieces.next()
    await kv.close()
    const rest = async (): Promise<void> => {
      while ((await pieces.next()).done !== true);
    }
    await expect(rest()).rejects.toMatchObject({ code: 'closed' })
  })

  it('of a revision that is compacted, or has not happened, is refused as a list is', async () => {
    const kv = await open()
    const at = await fill(kv)
    await kv.compact(at, signal)
    const refused = (revision: Revision) => kv.stream({ ...prefixRange(prefix), at: revision }, signal)
    await expect(refused(at - 1)).rejects.toMatchObject({ code: 'compacted', compactRevision: at })
    await expect(refused(at + 1_000)).rejects.toMatchObject({ code: 'future' })
  })

  it('never leaves out a key without a word where history is compacted while it is read', async () => {
    const kv = await open()
    const at = await fill(kv)
    const stream = await streamOf(kv, at)
    await putKey(kv, { key: `${prefix}z`, value: Buffer.from('x'), expected: ABSENT }, signal)
    await kv.compact(at + 1, signal)
    const found = await read(stream).catch((error: unknown) => error)
    if (Array.isArray(found)) expect(found).toHaveLength(GROUP * GROUPS)
    else expect(found).toMatchObject({ code: 'compacted' })
  })

  it('goes on where its connection is cut, without a gap and without a key twice', async () => {
    await using proxy = await startTcpProxy(Number(new URL(server.endpoint).port))
    const kv = await open(proxy.endpoint)
    const at = await fill(kv)
    const { items } = await kv.list({ ...prefixRange(prefix), at }, signal)
    const found: KeyValue[] = []
    let cuts = 0
    for await (const piece of await streamOf(kv, at)) {
      found.push(...piece)
      if (cuts++ < 5) proxy.cut()
    }
    expect(found.map(({ key }) => key)).toEqual(items.map(({ key }) => key))
    expect(cuts).toBeGreaterThan(5)
  })

  it('is what a store loads and lists with', async () => {
    const kv = await open()
    let streams = 0
    const counted = new Proxy(kv, {
      get(target, name: keyof Etcd) {
        if (name === 'stream') streams++
        const member = target[name] as unknown
        return typeof member === 'function' ? (member.bind(target) as unknown) : member
      },
    })
    await fill(kv)
    const store = openKvStore({ kv: counted, prefix: prefix.slice(0, -1) })
    let items = 0
    for await (const page of store.load(signal)) items += page.items.length
    expect(items).toBe(GROUP * GROUPS)
    expect(streams).toBe(1)
    const resource = { group: '', resource: 'things', storagePrefix: 'things', namespaced: true, selectableFields: [] }
    const list = await store.list({ resource, at: { kind: 'latest' }, skipUnreadable: true }, signal)
    // None of them is an object.
    for await (const batch of list.batches) expect(batch).toEqual([])
    expect(streams).toBe(2)
  })
})

describe('a member without the call', () => {
  // The previous version has to be built first.
  it.each(IS_WHOLE ? (['oldest', 'previous'] as const) : (['oldest'] as const))(
    'is read in pages: %s version',
    async (line) => {
      await using server = await startEtcd({ line })
      const prefix = '/streams/'
      const kv = await openEtcd({ endpoints: [server.endpoint], prefix }, signal)
      try {
        for (let group = 0; group < 10; group++) {
          await putGroup(kv, `${prefix}${group}/`)
        }
        const at = await kv.newestRevision(signal)
        expect(await kv.stream({ ...prefixRange(prefix), at }, signal)).toBeUndefined()
        let items = 0
        for await (const page of openKvStore({ kv, prefix: '/streams' }).load(signal)) items += page.items.length
        expect(items).toBe(1_000)
        expect(kv.liveHandles).toBe(0)
      } finally {
        await kv.close()
      }
    },
  )

  it('is not asked where streams are off', async () => {
    await using server = await serveStore('in memory')
    const kv = await openEtcd({ endpoints: [server.endpoint], prefix: '/s/', streamsRanges: false }, signal)
    try {
      expect(await kv.stream({ ...prefixRange('/s/'), at: await kv.newestRevision(signal) }, signal)).toBeUndefined()
    } finally {
      await kv.close()
    }
  })
})
