import { createServer as createHttpServer, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { egressPolicy } from '../../../src/outgoing/egress-policy.ts'
import { CancelledError } from '../../../src/lib/errors.ts'
import { answerValue } from '../../../src/outgoing/answer.ts'
import { type OutgoingCall, OutgoingCaller } from '../../../src/outgoing/call.ts'
import type { Tracing } from '../../../src/lib/tracing.ts'
import { OutgoingMeasures } from '../../../src/outgoing/measures.ts'
import { OutgoingCallError } from '../../../src/outgoing/failure.ts'
import { type KeyPair, makeAuthority, makeServing } from '../../../src/pki/certificate-maker.ts'

const CALL: OutgoingCall = {
  body: '{}',
  userAgent: 'test',
  timeoutMs: 5000,
  tellTimeout: true,
  maxAnswerBytes: 1000,
}
const signal = new AbortController().signal
const HOUR = 3_600_000

describe('a call to another server', () => {
  let authority: KeyPair
  let server: Server
  let port: number
  let connections = 0
  const seen: { url: string; headers: Record<string, unknown>; body: string }[] = []
  let caller: OutgoingCaller

  beforeAll(async () => {
    authority = makeAuthority(HOUR)
    const { certificate, key } = makeServing(authority, { dns: ['hook.ns.svc'], addresses: ['127.0.0.1'] }, HOUR)
    server = createHttpsServer({ cert: certificate, key }, (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        seen.push({ url: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() })
        const path = request.url?.split('?')[0]
        if (path === '/hang') return
        if (path === '/redirect') response.writeHead(302, { location: '/elsewhere' }).end()
        else if (path === '/large') response.end(Buffer.alloc(2000))
        else if (path === '/error') response.writeHead(500).end('oh no')
        else if (path === '/half') {
          response.writeHead(200, { 'content-length': 100 })
          response.write('{', () => response.destroy())
        } else if (path === '/interim') {
          for (let i = 0; i < 100; i++) response.writeProcessing()
        } else if (path === '/close') request.socket.destroy()
        else if (path === '/slow') response.writeHead(200).write('{')
        else response.end('{"ok":true}')
      })
    })
    server.on('secureConnection', () => connections++)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
  })

  afterEach(() => {
    caller?.[Symbol.dispose]()
    seen.length = 0
    connections = 0
  })

  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  function open(rules: Parameters<typeof egressPolicy>[0] = { loopback: true }): OutgoingCaller {
    caller = new OutgoingCaller({ egress: egressPolicy(rules) })
    return caller
  }

  const at = (path: string): { url: string; tls: { ca: string } } => ({
    url: `https://127.0.0.1:${port}${path}`,
    tls: { ca: authority.certificate },
  })

  async function failure(call: Promise<unknown>): Promise<OutgoingCallError> {
    const error: unknown = await call.then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(OutgoingCallError)
    return error as OutgoingCallError
  }

  it('is counted by what came of it, and what was not called for the longest is forgotten', async () => {
    const measures = new OutgoingMeasures()
    caller = new OutgoingCaller({ egress: egressPolicy({ loopback: true }), measures })
    await caller.call(at('/ok'), CALL, signal)
    await caller.call(at('/error'), CALL, signal)
    await failure(caller.call(at('/close'), CALL, signal))
    const counted = (): readonly string[] =>
      [...measures.requests.all()].map(({ values, series }) => `${values.join(' ')} ${series.value}`)
    const requests = counted()
    const host = `127.0.0.1:${port}`
    expect(requests).toEqual([`200 POST ${host} 1`, `500 POST ${host} 1`, `<error> POST ${host} 1`])
    for (let i = 0; i < 2000; i++) {
      measures.note({ code: '200', method: 'GET', host: `made-up-${i}`, seconds: 0 })
      measures.note({ code: '200', method: 'POST', host, seconds: 0 })
    }
    expect(counted()).toHaveLength(1000)
    expect(counted()).toContain(`200 POST ${host} 2001`)
    expect(measures.seconds.size).toBe(1000)
  })

  it('posts JSON, says how long it waits and keeps the connection', async () => {
    open()
    const answer = await caller.call(at('/ok'), CALL, signal)
    expect(answerValue(answer)).toEqual({ ok: true })
    await caller.call(at('/ok'), CALL, signal)
    expect(connections).toBe(1)
    expect(seen[0]).toMatchObject({
      url: '/ok?timeout=5s',
      body: '{}',
      headers: { 'user-agent': 'test', accept: 'application/json, */*', 'content-type': 'application/json' },
    })
  })

  it('connects where a service is, and asks for the name of the service', async () => {
    open()
    const target = {
      url: 'https://hook.ns.svc:443/ok',
      tls: { ca: authority.certificate },
      locate: () => Promise.resolve({ host: '127.0.0.1', port }),
    }
    expect((await caller.call(target, CALL, signal)).status).toBe(200)
  })

  it('asks for the place of a service at every call, and keeps a connection to each place', async () => {
    open()
    const hosts = ['127.0.0.1', 'localhost']
    let located = 0
    const target = {
      url: 'https://hook.ns.svc:443/ok',
      tls: { ca: authority.certificate },
      locate: () => Promise.resolve({ host: hosts[located++ % 2]!, port }),
    }
    for (let i = 0; i < 4; i++) expect((await caller.call(target, CALL, signal)).status).toBe(200)
    expect({ located, connections }).toEqual({ located: 4, connections: 2 })
  })

  it('does not wait for the place of a service longer than for an answer', async () => {
    open()
    const target = { url: 'https://hook.ns.svc:443/ok', locate: () => new Promise<never>(() => {}) }
    expect(await failure(caller.call(target, { ...CALL, timeoutMs: 20 }, signal))).toMatchObject({ kind: 'deadline' })
    const leaving = new AbortController()
    const left = caller.call(target, CALL, leaving.signal)
    leaving.abort()
    await expect(left).rejects.toBeInstanceOf(CancelledError)
  })

  it('is a step of a trace that the other server can go on with, also where a client sent another', async () => {
    const steps: string[] = []
    const tracing: Tracing = {
      step: ({ name, attributes }, run) => {
        steps.push(`${name} ${String(attributes['url.full'])}`)
        return run()
      },
      headers: () => ({ traceparent: 'ours' }),
    }
    caller = new OutgoingCaller({ egress: egressPolicy({ loopback: true }), tracing })
    await caller.call(at('/ok'), CALL, signal)
    const sent = { method: 'GET', path: '/ok?x=1', headers: { traceparent: 'theirs' }, body: undefined }
    ;(await caller.open(at('/ok'), sent, signal)).discard()
    expect(seen.map(({ headers }) => headers['traceparent'])).toEqual(['ours', 'ours'])
    expect(steps).toEqual([`Outgoing call ${at('/ok').url}`, `Outgoing call ${at('/ok').url}`])
  })

  it('follows no redirect', async () => {
    open()
    const answer = await caller.call(at('/redirect'), CALL, signal)
    expect(() => answerValue(answer)).toThrow(
      'the server responded with the status code 302 but did not return more information',
    )
    expect(seen.map(({ url }) => url)).toEqual(['/redirect?timeout=5s'])
  })

  it('resolves a name once, and connects to an address that was checked', async () => {
    let lookups = 0
    caller = new OutgoingCaller({
      egress: egressPolicy({ loopback: false, allow: ['127.0.0.1/32'] }),
      lookup: () => {
        lookups++
        return Promise.resolve([
          { address: '127.0.0.2', family: 4 },
          { address: lookups === 1 ? '127.0.0.1' : '127.0.0.3', family: 4 },
        ])
      },
    })
    const target = { ...at('/ok'), url: `https://hook.ns.svc:${port}/ok` }
    expect((await caller.call(target, CALL, signal)).status).toBe(200)
    expect(lookups).toBe(1)
    const refused = await failure(caller.call({ ...target, url: `https://other.ns.svc:${port}/ok` }, CALL, signal))
    expect(refused.kind).toBe('address')
  })

  it('refuses an address that the policy closes', async () => {
    open({ loopback: false })
    const error = await failure(caller.call(at('/ok'), CALL, signal))
    expect(error).toMatchObject({
      kind: 'address',
      message: `Post "https://127.0.0.1:${port}/ok?timeout=5s": dial tcp 127.0.0.1:${port}: address not allowed`,
    })
    expect(connections).toBe(0)
  })

  it.each<[string, string, Partial<OutgoingCall>, string]>([
    ['a server that does not answer', '/hang', { timeoutMs: 50 }, 'context deadline exceeded'],
    ['a server that closes the connection', '/close', {}, 'EOF'],
  ])('says why: %s', async (_name, path, call, text) => {
    open()
    const error = await failure(caller.call(at(path), { ...CALL, ...call }, signal))
    const seconds = Math.ceil((call.timeoutMs ?? CALL.timeoutMs) / 1000)
    expect(error.message).toBe(`Post "https://127.0.0.1:${port}${path}?timeout=${seconds}s": ${text}`)
  })

  it.each<[string, string, Partial<OutgoingCall>, string]>([
    ['an answer that is too large', '/large', {}, 'the response is larger than 1000 bytes'],
    [
      'an answer cut short',
      '/half',
      {},
      'unexpected error when reading response body. Please retry. Original error: unexpected EOF',
    ],
  ])('says why: %s', async (_name, path, call, text) => {
    open()
    await caller.call(at('/ok'), CALL, signal)
    const error = await failure(caller.call(at(path), { ...CALL, ...call }, signal))
    expect(error.message).toBe(text)
  })

  it('says why: an answer that does not end', async () => {
    open()
    const calls = async (timeoutMs: number): Promise<OutgoingCallError> => {
      const error = await failure(caller.call(at('/slow'), { ...CALL, timeoutMs }, signal))
      // On a busy machine even the beginning may come too late.
      return error.kind === 'deadline' && timeoutMs < 30_000 ? calls(timeoutMs * 4) : error
    }
    expect((await calls(200)).message).toBe(
      'unexpected error when reading response body. Please retry. Original error: context deadline exceeded',
    )
  })

  it('says why: interim responses without end', async () => {
    open()
    const request = { method: 'GET', path: '/interim', headers: {}, body: undefined }
    const called = await failure(caller.call(at('/interim'), CALL, signal))
    const opened = await failure(caller.open(at('/'), request, signal))
    for (const { message } of [called, opened]) expect(message).toContain('too many interim responses')
  })

  it('tells an error of the other server with what it said', async () => {
    open()
    const answer = await caller.call(at('/error'), CALL, signal)
    expect(() => answerValue(answer)).toThrow(
      'an error on the server ("oh no") has prevented the request from succeeding',
    )
  })

  it('trusts the authorities that it is given, and no others', async () => {
    open()
    const other = makeAuthority(HOUR).certificate
    const error = await failure(caller.call({ ...at('/ok'), tls: { ca: other } }, CALL, signal))
    expect(error.kind).toBe('tls')
    expect(error.message).toContain('tls: failed to verify certificate: x509: certificate signed by unknown authority')
    const machine = await failure(caller.call({ url: at('/ok').url }, CALL, signal))
    expect(machine.kind).toBe('tls')
  })

  it('wants the name in the certificate', async () => {
    open()
    const tls = { ca: authority.certificate, serverName: 'other.ns.svc' }
    const error = await failure(caller.call({ ...at('/ok'), tls }, CALL, signal))
    expect(error.message).toContain('x509: certificate is valid for hook.ns.svc, not other.ns.svc')
  })

  it.each(['', 'no certificate', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'])(
    'does not call with the authorities %j',
    async (ca) => {
      open()
      const error = await failure(caller.call({ ...at('/ok'), tls: { ca } }, CALL, signal))
      expect(error.kind).toBe('settings')
      expect(connections).toBe(0)
    },
  )

  it('says that nothing listens', async () => {
    open()
    const idle = createTcpServer()
    await new Promise<void>((resolve) => idle.listen(0, '127.0.0.1', resolve))
    const { port: free } = idle.address() as AddressInfo
    await new Promise((resolve) => idle.close(resolve))
    const error = await failure(caller.call({ url: `https://127.0.0.1:${free}/` }, CALL, signal))
    expect(error.message).toBe(
      `Post "https://127.0.0.1:${free}/?timeout=5s": dial tcp 127.0.0.1:${free}: connect: connection refused`,
    )
  })

  it('says that a name leads nowhere', async () => {
    const lookup = (): Promise<never> => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }))
    caller = new OutgoingCaller({ egress: egressPolicy({ loopback: true }), lookup })
    const error = await failure(caller.call({ url: 'https://nowhere.example/x' }, CALL, signal))
    expect(error.message).toBe(
      'Post "https://nowhere.example/x?timeout=5s": dial tcp: lookup nowhere.example: no such host',
    )
  })

  it('says that there is no TLS on the other side', async () => {
    const plain = createHttpServer((_request, response) => response.end('{}'))
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve))
    const { port: free } = plain.address() as AddressInfo
    open()
    const error = await failure(caller.call({ url: `https://127.0.0.1:${free}/` }, CALL, signal))
    expect(error.message).toContain('http: server gave HTTP response to HTTPS client')
    plain.closeAllConnections()
    plain.close()
  })

  it('calls once more where a kept connection had been closed', async () => {
    open()
    await caller.call(at('/ok'), CALL, signal)
    server.closeIdleConnections()
    expect((await caller.call(at('/ok'), CALL, signal)).status).toBe(200)
  })

  it('passes a request on and gives the answer piece by piece, for as long as it is wanted', async () => {
    open()
    const request = { method: 'PUT', path: '/slow?a=b', headers: { 'x-a': 'b' }, body: Buffer.from('body') }
    const leaving = new AbortController()
    const answer = await caller.open(at('/'), request, leaving.signal)
    expect(answer.status).toBe(200)
    expect(seen[0]).toMatchObject({ url: '/slow?a=b', body: 'body', headers: { 'x-a': 'b' } })
    const pieces = answer.pieces[Symbol.asyncIterator]()
    expect(String((await pieces.next()).value)).toBe('{')
    leaving.abort()
    await expect(pieces.next()).rejects.toThrow()
    const other = await caller.open(at('/'), { ...request, path: '/ok' }, signal)
    other.discard()
    const dead = caller.open({ url: 'https://127.0.0.1:1/' }, request, signal)
    await expect(dead).rejects.toThrow('connect: connection refused')
  })

  it('leaves no connection behind that was still being made when it was closed', async () => {
    // Takes connections and says nothing, so that no handshake comes to its end.
    const ends: Promise<void>[] = []
    const silent = createTcpServer((socket) => {
      socket.on('error', () => {}).resume()
      ends.push(new Promise((resolve) => socket.once('close', () => resolve())))
    })
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    open()
    const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}/`
    const abort = new AbortController()
    const calling = caller.call({ url, tls: { ca: authority.certificate } }, CALL, abort.signal)
    await expect.poll(() => ends.length).toBe(1)
    abort.abort()
    await expect(calling).rejects.toBeInstanceOf(CancelledError)
    caller[Symbol.dispose]()
    await ends[0]
    await new Promise((resolve) => silent.close(resolve))
  })

  it('leaves when it is told to', async () => {
    open()
    const leaving = new AbortController()
    const call = caller.call(at('/hang'), CALL, leaving.signal)
    leaving.abort()
    await expect(call).rejects.toBeInstanceOf(CancelledError)
  })
})
