// Who may talk to etcd and over what: TLS in both forms, passwords, several members; and what the operator reads when it fails.
import { connect } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Etcd, type EtcdOptions, openEtcd } from '../../src/kv/etcd/etcd.ts'
import type { EtcdLine } from '../rigs/etcd-binary.ts'
import { addLimitedUser } from '../fakes/etcd-gateway.ts'
import { type EtcdServer, startEtcd } from '../rigs/etcd-server.ts'
import { startTcpProxy, type TcpProxy } from '../fakes/tcp-proxy.ts'
import { putKey, removeKey } from '../../src/kv/kv.ts'

const PREFIX = '/registry/'
const signal = new AbortController().signal
const opened: AsyncDisposable[] = []

afterEach(async () => {
  for (const resource of opened.splice(0).toReversed()) await resource[Symbol.asyncDispose]()
})

async function open(options: Partial<EtcdOptions>): Promise<Etcd> {
  const kv = await openEtcd({ endpoints: [], prefix: PREFIX, openTimeoutMs: 10_000, ...options }, signal)
  opened.push({ [Symbol.asyncDispose]: () => kv.close() })
  return kv
}

async function proxyTo(server: EtcdServer, address?: string): Promise<TcpProxy> {
  const proxy = await startTcpProxy(server.port, address)
  opened.push(proxy)
  return proxy
}

/** Writes, and sees it by a watch. */
async function expectWorking(kv: Etcd): Promise<void> {
  const key = `${PREFIX}${Math.random()}`
  const { revision } = await putKey(kv, { key, value: Buffer.from('x'), expected: 0 }, signal)
  for await (const batch of kv.watch({ prefix: PREFIX, after: revision - 1 }, signal)) {
    expect(batch.events[0]).toMatchObject({ key, revision })
    break
  }
}

describe('an address', () => {
  it('where nobody is: one line with the reason', async () => {
    const opening = open({ endpoints: ['http://127.0.0.1:1'], openTimeoutMs: 1_500 })
    await expect(opening).rejects.toMatchObject({
      code: 'unavailable',
      message: 'cannot connect to etcd at http://127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1',
    })
  })

  it.each(['', 'not a url', 'ftp://127.0.0.1:2379', 'http://127.0.0.1:2379/path', 'http://user@127.0.0.1:2379'])(
    'that is none: %j',
    async (endpoint) => {
      await expect(open({ endpoints: [endpoint] })).rejects.toMatchObject({
        code: 'unavailable',
        message: `etcd endpoint ${JSON.stringify(endpoint)} is not http://host:port, https://host:port or unix:///path`,
      })
    },
  )

  it('must be given', async () => {
    await expect(open({})).rejects.toMatchObject({ code: 'unavailable', message: 'no etcd endpoints configured' })
  })
})

describe.each(['newest', 'oldest'] as const)('TLS, %s version', (line: EtcdLine) => {
  let server: EtcdServer
  let mutual: EtcdServer
  beforeAll(async () => {
    ;[server, mutual] = await Promise.all([startEtcd({ line, tls: 'server' }), startEtcd({ line, tls: 'mutual' })])
  })
  afterAll(() => Promise.all([server, mutual].map((running) => running[Symbol.asyncDispose]())))

  it('with the authority that signed the server’s certificate', async () => {
    await expectWorking(await open({ endpoints: [server.endpoint], tls: { ca: server.certificates!.ca } }))
  })

  it('is meant by an endpoint without a scheme where there are certificates', async () => {
    const endpoint = server.endpoint.replace('https://', '')
    await expectWorking(await open({ endpoints: [endpoint], tls: { ca: server.certificates!.ca } }))
  })

  it('with a certificate of our own; without one, one line that says so', async () => {
    const { ca, client } = mutual.certificates!
    await expectWorking(await open({ endpoints: [mutual.endpoint], tls: { ca, ...client } }))
    await expect(open({ endpoints: [mutual.endpoint], tls: { ca } })).rejects.toMatchObject({
      code: 'denied',
      message: expect.stringMatching(
        /^cannot connect to etcd at https:.*: it rejected our client certificate, or requires one/,
      ),
    })
  })

  it('with another authority: one line that says so, and soon', async () => {
    // The test would not last as long as trying on does.
    const opening = open({ endpoints: [server.endpoint], tls: { ca: mutual.certificates!.ca }, openTimeoutMs: 600_000 })
    await expect(opening).rejects.toMatchObject({
      code: 'denied',
      message: expect.stringMatching(/^cannot connect to etcd at https:.*: its certificate is not trusted \(.*\)$/),
    })
  })

  it('with a certificate for another host: one line that says so', async () => {
    const { port } = await proxyTo(server, '127.0.0.2')
    const opening = open({ endpoints: [`https://127.0.0.2:${port}`], tls: { ca: server.certificates!.ca } })
    await expect(opening).rejects.toMatchObject({
      code: 'denied',
      message: expect.stringMatching(/its certificate is not trusted \(.*127\.0\.0\.2.*\)$/),
    })
  })

  it('where we speak plain text: one line that says so', async () => {
    const endpoint = server.endpoint.replace('https:', 'http:')
    await expect(open({ endpoints: [endpoint], openTimeoutMs: 1_500 })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('does not answer like etcd; it may expect TLS'),
    })
  })

  it.each([
    ['a certificate', { certificate: 'x', key: 'y' }],
    ['an authority', { ca: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n' }],
  ])('with %s that is none: one line that says so', async (_, tls) => {
    await expect(open({ endpoints: [server.endpoint], tls })).rejects.toMatchObject({
      code: 'denied',
      message: expect.stringMatching(/^invalid client certificate or CA for etcd: .*$/),
    })
  })
})

describe.each(['newest', 'oldest'] as const)('user and password, %s version', (line: EtcdLine) => {
  const user = { name: 'root', password: 'right' }
  let server: EtcdServer
  beforeAll(async () => {
    server = await startEtcd({ line, rootPassword: user.password })
  })
  afterAll(() => server[Symbol.asyncDispose]())

  it('that are right', async () => {
    await expectWorking(await open({ endpoints: [server.endpoint], user }))
  })

  it('that are wrong: one line that says so', async () => {
    const opening = open({ endpoints: [server.endpoint], user: { ...user, password: 'wrong' } })
    await expect(opening).rejects.toMatchObject({
      code: 'denied',
      message: `etcd at ${server.endpoint}: etcdserver: authentication failed, invalid user ID or password`,
    })
  })

  it('that are missing: one line that says so', async () => {
    await expect(open({ endpoints: [server.endpoint] })).rejects.toMatchObject({
      code: 'denied',
      message: `etcd at ${server.endpoint}: etcdserver: user name is empty`,
    })
  })

  it('with rights to the prefix only: that is enough, and no more is used', async () => {
    await addLimitedUser(server.endpoint, user.password, PREFIX)
    const limited = { name: 'limited', password: 'limited' }
    const kv = await open({ endpoints: [server.endpoint], user: limited })
    await expectWorking(kv)
    const put = { key: `${PREFIX}expires`, value: Buffer.from('x'), expected: 0, ttlSeconds: 60 }
    expect((await putKey(kv, put, signal)).ok).toBe(true)
    await kv.checkHealth(signal)
    await expect(kv.get('/elsewhere/a', {}, signal)).rejects.toMatchObject({ code: 'denied' })
    const watch = kv.watch({ prefix: '/elsewhere/', after: 0 }, signal)[Symbol.asyncIterator]()
    await expect(watch.next()).rejects.toMatchObject({ code: 'denied' })
    await expect(open({ endpoints: [server.endpoint], user: limited, prefix: '/other/' })).rejects.toMatchObject({
      code: 'denied',
    })
  })

  it('whose token is no longer taken are shown again, and neither many calls at once nor a watch notice', async () => {
    const kv = await open({ endpoints: [server.endpoint], user })
    const seen = new Set<number>()
    const stop = new AbortController()
    const after = await kv.newestRevision(signal)
    const watching = (async () => {
      for await (const batch of kv.watch({ prefix: PREFIX, after }, stop.signal)) {
        for (const event of batch.events) seen.add(event.revision)
      }
    })().catch((error: unknown) => error)
    await expectWorking(kv)
    // etcd keeps its tokens in memory.
    await server.kill()
    await server.start()
    await Promise.all(Array.from({ length: 20 }, () => expectWorking(kv)))
    await expect.poll(() => seen.size).toBe(21)
    stop.abort()
    expect(await watching).toMatchObject({ name: 'CancelledError' })
  })
})

describe.each(['newest', 'oldest'] as const)('a full disk, %s version', (line: EtcdLine) => {
  it('refuses what needs room and says so, and loses nothing', async () => {
    const server = await startEtcd({ line, flags: ['--quota-backend-bytes=8000000'] })
    opened.push(server)
    const kv = await open({ endpoints: [server.endpoint] })
    const value = Buffer.alloc(1_000_000, 'v')
    const stored: number[] = []
    const filling = (async () => {
      // etcd counts what it has stored ten times a second: a quick one takes more than its quota before it notices.
      for (let i = 0; i < 500; i++) {
        stored.push((await putKey(kv, { key: `${PREFIX}${i}`, value, expected: 0 }, signal)).revision)
      }
    })()
    await expect(filling).rejects.toMatchObject({ code: 'full' })
    await expect(kv.checkHealth(signal)).rejects.toMatchObject({ code: 'full' })
    const { items } = await kv.list({ start: PREFIX, end: '/registry0' }, signal)
    expect(items.map(({ revision }) => revision).toSorted((a, b) => a - b)).toEqual(stored)
    expect((await removeKey(kv, { key: `${PREFIX}0`, expected: stored[0]! }, signal)).ok).toBe(true)
  })
})

describe('members', () => {
  let server: EtcdServer
  beforeAll(async () => {
    server = await startEtcd()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  it('without a scheme and without certificates are spoken to in plain text', async () => {
    await expectWorking(await open({ endpoints: [server.endpoint.replace('http://', '')], tls: {} }))
  })

  it('of which two are dead: the third will do', async () => {
    const kv = await open({ endpoints: ['http://127.0.0.1:1', 'http://127.0.0.1:2', server.endpoint] })
    await expectWorking(kv)
    await kv.checkHealth(signal)
  })

  it('of which one goes away: it is left for the other, and the other way round', async () => {
    const [first, second] = [await proxyTo(server), await proxyTo(server)]
    const kv = await open({ endpoints: [first.endpoint, second.endpoint] })
    await expectWorking(kv)
    first.refuse()
    await expectWorking(kv)
    expect(second.accepted).toBeGreaterThan(0)
    first.accept()
    second.refuse()
    await expectWorking(kv)
  })

  it('of which one falls silent: it is left for the other after one try', async () => {
    const [first, second] = [await proxyTo(server), await proxyTo(server)]
    const kv = await open({ endpoints: [first.endpoint, second.endpoint], attemptTimeoutMs: 500 })
    await expectWorking(kv)
    first.silence()
    await expectWorking(kv)
  })

  it('that are all gone: a call ends in time, and says whether something may have been written', async () => {
    const put = { key: `${PREFIX}a`, value: Buffer.from('x'), expected: 0 }
    const proxy = await proxyTo(server)
    const [first, second] = [
      await open({ endpoints: [proxy.endpoint], callTimeoutMs: 500 }),
      await open({ endpoints: [proxy.endpoint], callTimeoutMs: 500 }),
    ]
    proxy.silence()
    await expect(putKey(first, put, signal)).rejects.toMatchObject({ code: 'unknown' })
    await expect(putKey(first, { ...put, expected: 1 }, signal)).rejects.toMatchObject({ code: 'unknown' })
    await expect(first.get(put.key, {}, signal)).rejects.toMatchObject({ code: 'unavailable' })
    await expect(first.checkHealth(signal)).rejects.toMatchObject({ code: 'unavailable' })
    proxy.refuse()
    await expect.poll(() => second.get(put.key, {}, signal).catch((error: Error) => error.message)).toContain('no etcd')
    await expect(putKey(second, put, signal)).rejects.toMatchObject({ code: 'unavailable' })
  })

  it('of which we took leave see nothing of us any more', async () => {
    const proxy = await proxyTo(server)
    const kv = await open({ endpoints: [proxy.endpoint] })
    await expectWorking(kv)
    await kv.close()
    expect(kv.liveHandles).toBe(0)
    const { accepted } = proxy
    proxy.cut()
    // Ours would come back; that the probe is seen shows that it would have been seen.
    await new Promise<void>((resolve) => {
      connect(proxy.port, '127.0.0.1')
        .once('close', () => resolve())
        .once('error', () => undefined)
        .end()
    })
    expect(proxy.accepted).toBe(accepted + 1)
  })
})
