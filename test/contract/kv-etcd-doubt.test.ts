// Writes whose answer is lost. The engine's first member is behind a proxy that keeps back answers, or everything; its second
// one is not, and that is where it finds out. `other` is somebody else, who sees what happened and acts on it.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Etcd, openEtcd } from '../../src/kv/etcd/etcd.ts'
import type { KvEvent } from '../../src/kv/kv.ts'
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

  function put(engine: Etcd, value: string, expected = 0): ReturnType<Etcd['put']> {
    return engine.put({ key: `${prefix}a`, value: Buffer.from(value), expected }, signal)
  }

  function remove(engine: Etcd, expected: number): ReturnType<Etcd['delete']> {
    return engine.delete({ key: `${prefix}a`, expected }, signal)
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
})
