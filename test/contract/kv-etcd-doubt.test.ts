// Writes whose answer is lost. The engine's first member is behind a proxy that keeps back answers, or everything; its second
// one is not, and that is where it finds out. `other` is somebody else, who sees what happened and acts on it.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Etcd, openEtcd } from '../../src/kv/etcd/etcd.ts'
import { type KvEvent, putKey, removeKey, type WriteResult } from '../../src/kv/kv.ts'
import { type EtcdServer, startEtcd } from '../rigs/etcd-server.ts'
import { startTcpProxy, type TcpProxy } from '../fakes/tcp-proxy.ts'

const signal = new AbortController().signal

describe.each(['newest', 'oldest'] as const)('a write to etcd without an answer, %s version', (line) => {
  let server: EtcdServer
  let proxy: TcpProxy
  let kv: Etcd
  let other: Etcd
  let prefix: string
  let start: number
  let corners = 0

  beforeAll(async () => {
    server = await startEtcd({ line })
  })
  afterAll(() => server[Symbol.asyncDispose]())

  beforeEach(async () => {
    prefix = `/corner-${corners++}/`
    proxy = await startTcpProxy(server.port)
    const options = { prefix, callTimeoutMs: 20_000 }
    kv = await openEtcd({ ...options, attemptTimeoutMs: 400, endpoints: [proxy.endpoint, server.endpoint] }, signal)
    // Nobody keeps its answers back: that it takes long on a busy machine is no fault.
    other = await openEtcd({ ...options, endpoints: [server.endpoint] }, signal)
    start = await other.newestRevision(signal)
  })
  afterEach(async () => {
    proxy.resume()
    await Promise.all([kv.close(), other.close()])
    await proxy[Symbol.asyncDispose]()
  })

  function put(engine: Etcd, value: string, expected = 0): Promise<WriteResult> {
    return putKey(engine, { key: `${prefix}a`, value: Buffer.from(value), expected }, signal)
  }

  function remove(engine: Etcd, expected: number): Promise<WriteResult> {
    return removeKey(engine, { key: `${prefix}a`, expected }, signal)
  }

  /** The next thing that happens to the key after a revision. */
  async function nextEvent(after: number): Promise<KvEvent> {
    for await (const { events } of other.watch({ prefix, after }, signal)) if (events[0] !== undefined) return events[0]
    throw new Error('the watch ended')
  }

  async function currentValue(): Promise<string | undefined> {
    return (await other.get(`${prefix}a`, {}, signal)).item?.value.toString()
  }

  it('a create that happened is found', async () => {
    proxy.silence('answers')
    const result = await put(kv, 'ours')
    expect(result).toEqual({ ok: true, revision: (await nextEvent(start)).revision })
    expect(await currentValue()).toBe('ours')
  })

  it('a create that happened and was overwritten since is found, with its own revision', async () => {
    proxy.silence('answers')
    const creating = put(kv, 'ours')
    const { revision } = await nextEvent(start)
    await put(other, 'theirs', revision)
    expect(await creating).toEqual({ ok: true, revision })
    expect(await currentValue()).toBe('theirs')
  })

  it('a create that happened and was deleted since is found, and not done again', async () => {
    proxy.silence('answers')
    const creating = put(kv, 'ours')
    const { revision } = await nextEvent(start)
    await remove(other, revision)
    expect(await creating).toEqual({ ok: true, revision })
    expect(await currentValue()).toBeUndefined()
  })

  it('a create that did not arrive is done by another way, once, also where it arrives in the end', async () => {
    proxy.silence('all')
    const result = await put(kv, 'ours')
    expect(result.ok).toBe(true)
    await remove(other, result.revision)
    proxy.resume()
    // What was kept back is through when an answer to something sent after it has come.
    const late = await openEtcd({ prefix, endpoints: [proxy.endpoint] }, signal)
    await late.close()
    expect(await currentValue()).toBeUndefined()
  })

  it('a create that lost is told what is there', async () => {
    const { revision } = await put(other, 'theirs')
    proxy.silence('answers')
    expect(await put(kv, 'ours')).toMatchObject({ ok: false, current: { revision, value: Buffer.from('theirs') } })
  })

  it('a create that lost against the very same bytes of before has lost', async () => {
    const { revision } = await put(other, 'same')
    await kv.newestRevision(signal)
    proxy.silence('answers')
    expect(await put(kv, 'same')).toMatchObject({ ok: false, current: { revision } })
  })

  it('an update that happened is found, though it was overwritten since', async () => {
    const { revision: expected } = await put(other, 'before')
    proxy.silence('answers')
    const updating = put(kv, 'ours', expected)
    const { revision } = await nextEvent(expected)
    await put(other, 'theirs', revision)
    expect(await updating).toEqual({ ok: true, revision })
    expect(await currentValue()).toBe('theirs')
  })

  it('an increment may have been that of another client with the same bytes', async () => {
    const { revision: expected } = await put(other, '1')
    const increment = { key: `${prefix}a`, value: Buffer.from('2'), expected, isIncrement: true }
    proxy.silence('all')
    const writing = putKey(kv, increment, signal)
    expect(await putKey(other, increment, signal)).toMatchObject({ ok: true })
    await expect(writing).rejects.toMatchObject({ code: 'unknown' })
    expect(await currentValue()).toBe('2')
  })

  it('an increment that did not arrive is done by another way', async () => {
    const { revision: expected } = await put(other, '1')
    proxy.silence('all')
    const increment = { key: `${prefix}a`, value: Buffer.from('2'), expected, isIncrement: true }
    expect(await putKey(kv, increment, signal)).toEqual({ ok: true, revision: (await nextEvent(expected)).revision })
  })

  it('an update that lost is told what is there, though it was told late', async () => {
    const { revision: expected } = await put(other, 'before')
    proxy.silence('all')
    const updating = put(kv, 'ours', expected)
    const { revision } = await put(other, 'theirs', expected)
    expect(await updating).toMatchObject({ ok: false, current: { revision, value: Buffer.from('theirs') } })
  })

  it('an update that did not arrive is done by another way', async () => {
    const { revision: expected } = await put(other, 'before')
    proxy.silence('all')
    const result = await put(kv, 'ours', expected)
    expect(result).toEqual({ ok: true, revision: (await nextEvent(expected)).revision })
  })

  it('a delete after which the key is gone may have been anybody’s', async () => {
    const { revision: expected } = await put(other, 'before')
    proxy.silence('answers')
    await expect(remove(kv, expected)).rejects.toMatchObject({ code: 'unknown' })
    expect(await currentValue()).toBeUndefined()
  })

  it('a delete that did not arrive is done by another way', async () => {
    const { revision: expected } = await put(other, 'before')
    proxy.silence('all')
    const result = await remove(kv, expected)
    expect(result).toEqual({ ok: true, revision: (await nextEvent(expected)).revision })
  })

  it('a delete that lost is told what is there, though it was told late', async () => {
    const { revision: expected } = await put(other, 'before')
    proxy.silence('all')
    const removing = remove(kv, expected)
    const { revision } = await put(other, 'theirs', expected)
    expect(await removing).toMatchObject({ ok: false, current: { revision } })
  })

  it('history that is gone leaves it unknown', async () => {
    const { revision: expected } = await put(other, 'before')
    proxy.silence('answers')
    const updating = put(kv, 'ours', expected)
    const { revision } = await nextEvent(expected)
    const last = await put(other, 'theirs', revision)
    await other.compact(last.revision, signal)
    await expect(updating).rejects.toMatchObject({ code: 'unknown' })
  })

  describe('that expects another key not to be written', () => {
    const mark = (notAfter: number) => ({ key: `${prefix}mark`, notAfter })

    function putUnmarked(value: string, expected: number, notAfter: number): Promise<WriteResult> {
      const key = `${prefix}a`
      const writes = [{ key, value: Buffer.from(value) }]
      return kv.commit({ expected: [{ key, revision: expected }, mark(notAfter)], writes }, signal)
    }

    const putMark = (): Promise<WriteResult> =>
      putKey(other, { key: `${prefix}mark`, value: Buffer.from('x'), expected: 0 }, signal)

    it.each(['a create', 'an update'])(
      'is found where it happened before the other key was written: %s',
      async (verb) => {
        const expected = verb === 'a create' ? 0 : (await put(other, 'before')).revision
        const before = await other.newestRevision(signal)
        proxy.silence('answers')
        const writing = putUnmarked('ours', expected, before)
        const { revision } = await nextEvent(before)
        await putMark()
        expect(await writing).toEqual({ ok: true, revision })
      },
    )

    it.each(['a create', 'an update'])(
      'has lost where the other key was written first, also if it arrives late: %s',
      async (verb) => {
        const expected = verb === 'a create' ? 0 : (await put(other, 'before')).revision
        const before = await other.newestRevision(signal)
        proxy.silence('all')
        const writing = putUnmarked('ours', expected, before)
        const { revision } = await putMark()
        expect(await writing).toMatchObject({ ok: false, current: { key: `${prefix}mark`, revision } })
        proxy.resume()
        const late = await openEtcd({ prefix, endpoints: [proxy.endpoint] }, signal)
        await late.close()
        expect(await currentValue()).toBe(verb === 'a create' ? undefined : 'before')
      },
    )
  })

  describe('that writes several keys', () => {
    const keys = ['a', 'new', 'gone'] as const
    let a: number
    let gone: number

    beforeEach(async () => {
      a = (await put(other, 'before')).revision
      gone = (await commit(other, { gone: 0 }, { gone: 'before' })).revision
    })

    type Values = Readonly<Record<string, string | null>>

    function commit(engine: Etcd, expected: Readonly<Record<string, number>>, writes: Values): Promise<WriteResult> {
      return engine.commit(
        {
          expected: Object.entries(expected).map(([name, revision]) => ({ key: prefix + name, revision })),
          writes: Object.entries(writes).map(([name, value]) => {
            const key = prefix + name
            return value === null ? { key } : { key, value: Buffer.from(value) }
          }),
        },
        signal,
      )
    }

    const ours: Values = { a: 'ours', new: 'ours', gone: null }
    const oursWithoutCreate: Values = { a: 'ours', gone: null }

    async function values(): Promise<Record<string, string | undefined>> {
      const found = await Promise.all(keys.map((name) => other.get(prefix + name, {}, signal)))
      return Object.fromEntries(keys.map((name, at) => [name, found[at]?.item?.value.toString()]))
    }

    it.each([
      ['with a create', ours],
      ['without a create', oursWithoutCreate],
    ])('is found where it happened and all of it was written over since, %s', async (_, writes) => {
      proxy.silence('answers')
      const committing = commit(kv, { a, gone, ...('new' in writes ? { new: 0 } : {}) }, writes)
      const { revision } = await nextEvent(gone)
      await commit(
        other,
        { a: revision, gone: 0, ...('new' in writes ? { new: revision } : {}) },
        { a: 'theirs', gone: 'theirs', ...('new' in writes ? { new: null } : {}) },
      )
      expect(await committing).toEqual({ ok: true, revision })
      expect(await values()).toEqual({ a: 'theirs', gone: 'theirs', new: undefined })
    })

    it.each([
      ['with a create', ours],
      ['without a create', oursWithoutCreate],
    ])('is done by another way where it did not arrive, whole, %s', async (_, writes) => {
      proxy.silence('all')
      const result = await commit(kv, { a, gone, ...('new' in writes ? { new: 0 } : {}) }, writes)
      expect(result).toEqual({ ok: true, revision: (await nextEvent(gone)).revision })
      expect(await values()).toEqual({ new: writes['new'], a: 'ours', gone: undefined })
    })

    it('has lost, and is not done later, where the key that it lost by is absent again', async () => {
      proxy.silence('all')
      const committing = commit(kv, { a, new: 0, seen: 0 }, { a: 'ours', new: 'ours' })
      const { revision } = await commit(other, { seen: 0 }, { seen: 'theirs' })
      expect(await committing).toMatchObject({ ok: false, current: { revision, value: Buffer.from('theirs') } })
      await commit(other, { seen: revision }, { seen: null })
      proxy.resume()
      const late = await openEtcd({ prefix, endpoints: [proxy.endpoint] }, signal)
      await late.close()
      expect(await values()).toEqual({ a: 'before', new: undefined, gone: 'before' })
    })

    it.each([
      ['an update', { a: 'ours', gone: 'ours' }],
      ['an update and a removal', { a: 'ours', gone: null }],
      ['an update and a create', { a: 'ours', new: 'ours' }],
    ])('has lost where another client wrote the same bytes to one of its keys only: %s', async (_, writes) => {
      proxy.silence('all')
      const known = { a, gone, new: 0 }
      const expected = Object.fromEntries(Object.keys(writes).map((name) => [name, known[name as 'a']]))
      const committing = commit(kv, expected, writes)
      const { revision } = await put(other, 'ours', a)
      expect(await committing).toMatchObject({ ok: false, current: { revision } })
      expect(await values()).toEqual({ a: 'ours', new: undefined, gone: 'before' })
    })

    it('may have been anybody’s where it only removes', async () => {
      proxy.silence('answers')
      await expect(commit(kv, { a, gone }, { a: null, gone: null })).rejects.toMatchObject({ code: 'unknown' })
      expect(await values()).toEqual({ a: undefined, new: undefined, gone: undefined })
    })

    it('is asked again where it only compares', async () => {
      proxy.silence('answers')
      expect(await commit(kv, { a, gone, new: 0 }, {})).toMatchObject({ ok: true })
    })
  })
})
