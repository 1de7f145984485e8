import { once } from 'node:events'
import http2 from 'node:http2'
import https from 'node:https'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import net from 'node:net'
import { Duplex } from 'node:stream'
import tls from 'node:tls'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SILENT_LOG } from '../../src/lib/log.ts'
import { MAX_BODY_BYTES } from '../../src/http/body.ts'
import type { ByteSink, Handler, HttpRequest, HttpResponse } from '../../src/http/http.ts'
import type { FinishedRequest, Listener, ListenerOptions } from '../../src/http/listener.ts'
import { GZIP_ABOVE_BYTES } from '../../src/http/respond.ts'
import { plainText } from '../../src/http/responses.ts'
import { makeAuthority, makeServing } from '../../src/pki/certificate-maker.ts'
import { newTicketKeys } from '../../src/config/tls-renewal.ts'
import { authority, openPlainListener } from '../fakes/plain-listener.ts'

function open(
  handlers: Readonly<Record<string, Handler>>,
  finished: FinishedRequest[] = [],
  options: Pick<Partial<ListenerOptions>, 'log' | 'handshakeTimeoutMs' | 'onHandshake' | 'unfinished'> = {},
): Promise<Listener> {
  return openPlainListener(handlers, { ...options, observe: (request) => void finished.push(request) })
}

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

interface Call {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: Buffer
  /** Of HTTP/1.1; absent: a connection of its own. */
  readonly agent?: https.Agent
}

type Client = (listener: Listener, path: string, call?: Call) => Promise<Answer>

const overHttp1: Client = async (listener, path, { method = 'GET', headers = {}, body, agent = false } = {}) => {
  const request = https.request({
    host: '127.0.0.1',
    port: listener.port,
    path,
    method,
    headers,
    ca: authority.certificate,
    agent,
  })
  request.end(body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }
}

const overHttp2: Client = async (listener, path, { method = 'GET', headers = {}, body } = {}) => {
  const session = http2.connect(`https://127.0.0.1:${listener.port}`, { ca: authority.certificate })
  try {
    const stream = session.request({ ':method': method, ':path': path, ...headers })
    stream.end(body)
    const [head] = (await once(stream, 'response')) as [IncomingHttpHeaders & { ':status'?: number }]
    const chunks: Buffer[] = []
    for await (const chunk of stream) chunks.push(chunk as Buffer)
    return { status: head[':status'] ?? 0, headers: head, body: Buffer.concat(chunks) }
  } finally {
    session.close()
  }
}

const bytes = (body: Buffer, compress = true): HttpResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: { kind: 'bytes', bytes: body, compress },
})

function* pieces(count: number, size: number): Generator<Buffer> {
  for (let i = 0; i < count; i++) yield Buffer.alloc(size, 97 + (i % 26))
}

/** Always the same memory, as the contract of pieces allows up to 64 KiB to be. */
function* sameMemory(count: number, size: number): Generator<Buffer> {
  const piece = Buffer.alloc(size)
  for (let i = 0; i < count; i++) yield piece.fill(97 + (i % 26))
}

describe.each([
  ['HTTP/1.1', overHttp1],
  ['HTTP/2', overHttp2],
])('over %s', (protocol, send) => {
  let listener: Listener
  const finished: FinishedRequest[] = []
  let seen: HttpRequest | undefined

  beforeAll(async () => {
    listener = await open(
      {
        '/seen': (request) => {
          seen = request
          return plainText(200, 'seen')
        },
        '/echo': async (request) => plainText(200, String((await request.body.read()).length)),
        '/limit': () => bytes(Buffer.alloc(GZIP_ABOVE_BYTES, 97)),
        '/above': () => bytes(Buffer.alloc(GZIP_ABOVE_BYTES + 1, 97)),
        '/above-and-varied': () => ({
          ...bytes(Buffer.alloc(GZIP_ABOVE_BYTES + 1, 97)),
          headers: { vary: 'Accept' },
        }),
        '/text': () => bytes(Buffer.alloc(GZIP_ABOVE_BYTES + 1, 97), false),
        '/pieces': () => ({
          status: 200,
          headers: {},
          body: { kind: 'pieces', pieces: pieces(5000, 1000), compress: true },
        }),
        '/few': () => ({ status: 200, headers: {}, body: { kind: 'pieces', pieces: pieces(3, 10), compress: true } }),
        '/same-memory': (request) => {
          const [count, size] = (request.query.get('pieces') ?? '').split('x').map(Number)
          return { status: 200, headers: {}, body: { kind: 'pieces', pieces: sameMemory(count!, size!) } }
        },
        '/breaks': () => ({ status: 200, headers: {}, body: { kind: 'pieces', pieces: breaking() } }),
        '/warns': (request) => {
          for (const text of ['say "a"', 'b', 'b']) request.responder.warn(text)
          return plainText(404, '')
        },
        '/kept': () => plainText(200, '', { 'cache-control': 'public' }),
        '/stuck': () => new Promise(() => {}),
        '/waits': ({ signal }) =>
          new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
        '/fails': () => {
          throw new Error('a bug')
        },
        '/stream': () => ({
          status: 200,
          headers: {},
          body: {
            kind: 'stream',
            async run(sink) {
              for (const piece of ['one\n', 'two\n']) if (!sink.write(Buffer.from(piece))) await sink.drained()
            },
          },
        }),
      },
      finished,
    )
  })
  afterAll(() => listener.close(0))

  it.each([
    ['60x65536', 60, 65_536],
    ['80x40000', 80, 40_000],
    ['3000x100', 3000, 100],
    ['50000x7', 50_000, 7],
  ])('pieces in memory that is used again arrive as they were: %s', async (query, count, size) => {
    const { body } = await send(listener, `/same-memory?pieces=${query}`)
    expect(body.equals(Buffer.concat([...pieces(count, size)]))).toBe(true)
  })

  function* breaking(): Generator<Buffer> {
    yield* pieces(100, 1000)
    throw new Error('halfway')
  }

  it('the handler sees the request as it was sent', async () => {
    await send(listener, `/seen?a=1&a=2&b`, { method: 'PUT', headers: { 'Audit-ID': 'mine', 'X-Thing': 'y' } })
    expect(seen).toMatchObject({ method: 'PUT', path: '/seen', auditId: 'mine' })
    expect(seen?.headers['x-thing']).toBe('y')
    expect(seen?.query.all('a')).toEqual(['1', '2'])
    expect(seen?.remote).toMatchObject({ isLoopback: true, protocol: protocol === 'HTTP/2' ? 'h2' : 'http/1.1' })
  })

  it('every answer has an audit id and no leave to keep it, errors and warnings too (R-270, R-271, P-002)', async () => {
    for (const path of ['/seen', '/nope', '/fails', '/stream', '/few', '/warns', '/stuck?timeout=1ns']) {
      const { headers } = await send(listener, path)
      expect(headers['cache-control']).toBe('no-cache, private')
      expect(headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/)
    }
    expect((await send(listener, '/seen', { headers: { 'audit-id': 'mine' } })).headers['audit-id']).toBe('mine')
    expect((await send(listener, '/kept')).headers['cache-control']).toBe('public')
    expect((await send(listener, '/warns')).headers['warning']).toBe('299 - "say \\"a\\"", 299 - "b"')
  })

  it('the credential is not among the headers', async () => {
    await send(listener, '/seen', { headers: { authorization: 'Bearer x' } })
    expect(seen?.headers['authorization']).toBeUndefined()
    expect(seen?.takeCredential()).toBe('Bearer x')
  })

  it('headers are known by how their names begin, in whichever letters they were sent', async () => {
    await send(listener, '/seen', { headers: { 'IMPERSONATE-User': 'jane', 'X-Impersonate-Me': 'y' } })
    expect(['impersonate-', 'impersonate-user', 'x-', 'im'].every((prefix) => seen?.hasHeaderLike(prefix))).toBe(true)
    expect(
      ['impersonate-group', 'personate', 'y', 'impersonate-user-'].some((prefix) => seen?.hasHeaderLike(prefix)),
    ).toBe(false)
    expect(seen?.takeHeader('impersonate-user')).toEqual(['jane'])
    // Who has taken a header out has not made it not sent.
    expect(seen?.hasHeaderLike('impersonate-')).toBe(true)
  })

  it.each(['/stuck', '/waits'])(
    'a request whose time is up is answered although %s is not done (R-024, P-225)',
    async (path) => {
      const answer = await send(listener, `${path}?timeout=5ms`)
      expect(answer.status).toBe(504)
      expect(answer.body.toString()).toContain('Timeout: request did not complete within the allotted timeout')
    },
  )

  it('a path may be long and its escapes are read', async () => {
    const name = 'x'.repeat(253)
    expect((await send(listener, `/${name}/${name}`)).status).toBe(404)
    await send(listener, '/%73een')
    expect(seen?.path).toBe('/seen')
    expect((await send(listener, '/%zz')).status).toBe(400)
  })

  it.each([0, 1, 100_000, MAX_BODY_BYTES])('a body of %i bytes is read whole', async (size) => {
    const answer = await send(listener, '/echo', { method: 'POST', body: Buffer.alloc(size) })
    expect(answer.body.toString()).toBe(String(size))
  })

  it('a body over the limit is refused, announced or not (R-021, P-230, W-028)', async () => {
    const body = Buffer.alloc(MAX_BODY_BYTES + 1)
    for (const headers of [{ 'content-length': String(body.length) }, {}]) {
      const answer = await send(listener, '/echo', { method: 'POST', body, headers })
      expect(answer.status).toBe(413)
      expect(answer.body.toString()).toContain('Request entity too large: limit is 3145728')
    }
  })

  it('answers above 128 KiB are packed for those who take it (R-274, P-235)', async () => {
    const gzip = { headers: { 'accept-encoding': 'deflate, gzip' } }
    const above = await send(listener, '/above', gzip)
    expect(above.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
    expect(gunzipSync(above.body)).toHaveLength(GZIP_ABOVE_BYTES + 1)
    expect((await send(listener, '/above-and-varied', gzip)).headers['vary']).toBe('Accept, Accept-Encoding')
    for (const [path, call] of [
      ['/limit', gzip],
      ['/text', gzip],
      ['/above', {}],
      ['/above', { headers: { 'accept-encoding': 'gzip;q=1.0' } }],
      ['/above', { headers: { 'accept-encoding': '*' } }],
    ] as const) {
      const plain = await send(listener, path, call)
      expect(plain.headers).not.toHaveProperty('content-encoding')
      expect(plain.headers).not.toHaveProperty('vary')
    }
  })

  it('pieces arrive whole, packed or not', async () => {
    const whole = Buffer.concat([...pieces(5000, 1000)])
    expect((await send(listener, '/pieces')).body.equals(whole)).toBe(true)
    const packed = await send(listener, '/pieces', { headers: { 'accept-encoding': 'gzip' } })
    expect(packed.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(packed.body).equals(whole)).toBe(true)
    const few = await send(listener, '/few', { headers: { 'accept-encoding': 'gzip' } })
    expect(few.headers).not.toHaveProperty('content-encoding')
    expect(few.body).toHaveLength(30)
  })

  it('an answer that breaks halfway does not look whole', async () => {
    await expect(send(listener, '/breaks')).rejects.toThrow()
  })

  it('a fault of ours is a 500', async () => {
    expect((await send(listener, '/fails')).status).toBe(500)
  })

  it('a stream is sent as it is written', async () => {
    expect((await send(listener, '/stream')).body.toString()).toBe('one\ntwo\n')
  })

  it('HEAD has the headers and no body', async () => {
    for (const path of ['/above', '/pieces', '/stream', '/few']) {
      const head = await send(listener, path, { method: 'HEAD' })
      expect(head.status).toBe(200)
      expect(head.body).toHaveLength(0)
    }
    expect((await send(listener, '/limit', { method: 'HEAD' })).headers['content-length']).toBe(
      String(GZIP_ABOVE_BYTES),
    )
  })

  it('methods that nobody knows reach the handler too', async () => {
    expect((await send(listener, '/seen', { method: 'PROPFIND' })).status).toBe(200)
    expect(seen?.method).toBe('PROPFIND')
  })

  it('what was sent is observed', async () => {
    finished.length = 0
    await send(listener, '/limit')
    expect(finished).toEqual([expect.objectContaining({ status: 200, sentBytes: GZIP_ABOVE_BYTES })])
  })
})

describe('a watch', () => {
  it('has its headers sent before its first event (R-140, P-229)', async () => {
    const release = Promise.withResolvers<void>()
    const listener = await open({
      '/quiet': () => ({ status: 200, headers: { 'x-a': 'b' }, body: { kind: 'stream', run: () => release.promise } }),
    })
    const request = https.get({
      host: '127.0.0.1',
      port: listener.port,
      path: '/quiet',
      ca: authority.certificate,
      agent: false,
    })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    expect(response.headers['x-a']).toBe('b')
    release.resolve()
    response.resume()
    await once(response, 'end')
    await listener.close(0)
  })

  it('knows when its client goes, also after a body was read', async () => {
    const gone = Promise.withResolvers<unknown>()
    const listener = await open({
      '/w': async (request) => {
        await request.body.read()
        expect(request.signal.aborted).toBe(false)
        request.signal.addEventListener('abort', () => gone.resolve(request.signal.reason))
        return { status: 200, headers: {}, body: { kind: 'stream', run: () => new Promise(() => {}) } }
      },
    })
    const session = http2.connect(`https://127.0.0.1:${listener.port}`, { ca: authority.certificate })
    const stream = session.request({ ':method': 'POST', ':path': '/w' })
    stream.end('body')
    await once(stream, 'response')
    stream.close(http2.constants.NGHTTP2_CANCEL)
    expect(await gone.promise).toMatchObject({ name: 'ClientGoneError' })
    session.close()
    await listener.close(0)
  })

  it('is broken off when its time is up, which is no fault of ours', async () => {
    const told: string[] = []
    const tell = (level: string) => (_: object, message: string) => void told.push(`${level}: ${message}`)
    const log = { ...SILENT_LOG, info: tell('info'), error: tell('error') }
    const endless = async function* (): AsyncGenerator<Buffer> {
      for (;;) yield Buffer.alloc(1e5)
    }
    const pieces: Handler = () => ({ status: 200, headers: {}, body: { kind: 'pieces', pieces: endless() } })
    const listener = await open({ '/pieces': pieces }, [], { log })
    const session = http2.connect(`https://127.0.0.1:${listener.port}`, { ca: authority.certificate })
    // Nobody reads it.
    const stream = session.request({ ':path': '/pieces?timeout=50ms' }).on('error', () => {})
    await once(stream, 'response')
    await expect.poll(() => told).toEqual(['info: response aborted'])
    session.destroy()
    await listener.close(0)
  })

  it('is held back by a slow reader', async () => {
    let sink: ByteSink | undefined
    const listener = await open({
      '/w': () => ({
        status: 200,
        headers: {},
        body: {
          kind: 'stream',
          async run(given) {
            sink = given
            for (let i = 0; i < 200; i++) if (!given.write(Buffer.alloc(1e5))) await given.drained()
          },
        },
      }),
    })
    const session = http2.connect(`https://127.0.0.1:${listener.port}`, { ca: authority.certificate })
    const stream = session.request({ ':path': '/w' })
    await once(stream, 'response')
    expect(sink?.write(Buffer.of())).toBe(false)
    let size = 0
    for await (const chunk of stream) size += (chunk as Buffer).length
    expect(size).toBe(20_000_000)
    session.close()
    await listener.close(0)
  })

  it('can be opened and cancelled thousands of times on one connection', async () => {
    const listener = await open({
      '/w': () => ({ status: 200, headers: {}, body: { kind: 'stream', run: () => new Promise(() => {}) } }),
    })
    const session = http2.connect(`https://127.0.0.1:${listener.port}`, { ca: authority.certificate })
    const cycle = async (): Promise<void> => {
      const stream = session.request({ ':path': '/w' })
      await once(stream, 'response')
      stream.close(http2.constants.NGHTTP2_CANCEL)
    }
    for (let i = 0; i < 24; i++) await Promise.all(Array.from({ length: 50 }, cycle))
    expect(session.destroyed || session.closed).toBe(false)
    session.close()
    await listener.close(0)
  })
})

describe('new certificates', () => {
  it('are shown to new connections, and those that stand go on', async () => {
    const listener = await open({ '/ok': () => plainText(200, 'ok') })
    const session = http2.connect(`https://127.0.0.1:${listener.port}`, { ca: authority.certificate })
    await once(session, 'connect')
    const other = makeAuthority(60_000)
    const pair = makeServing(other, { dns: ['localhost'], addresses: ['127.0.0.1'] }, 60_000)
    const files = { ...pair, clientCa: undefined, proxyCa: undefined }
    listener.renew({ files, ticketKeys: newTicketKeys() })
    await expect(overHttp1(listener, '/ok')).rejects.toThrow('certificate')
    const trusting = https.get({
      host: '127.0.0.1',
      port: listener.port,
      path: '/ok',
      ca: other.certificate,
      agent: false,
    })
    const [response] = (await once(trusting, 'response')) as [IncomingMessage]
    expect(response.statusCode).toBe(200)
    response.resume()
    const stream = session.request({ ':path': '/ok' })
    const [head] = (await once(stream, 'response')) as [Record<string, number>]
    expect(head[':status']).toBe(200)
    session.destroy()
    await listener.close(0)
  })
})

describe('abuse', () => {
  it('a client that cancels every request before its answer loses its connection, and nobody else does', async () => {
    let taken = 0
    const stuck: Handler = () => {
      taken++
      return new Promise(() => {})
    }
    const listener = await open({ '/stuck': stuck, '/ok': () => plainText(200, 'ok') })
    const session = http2.connect(`https://127.0.0.1:${listener.port}`, { ca: authority.certificate })
    session.on('error', () => {})
    await once(session, 'connect')
    for (let i = 0; i < 2000 && !session.destroyed; i++) {
      const stream = session.request({ ':path': '/stuck' }).on('error', () => {})
      stream.close(http2.constants.NGHTTP2_CANCEL)
      if (i % 20 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    expect((await overHttp2(listener, '/ok')).status).toBe(200)
    expect(taken).toBeGreaterThan(1000)
    // A few more are let through for each second that this takes.
    expect(taken).toBeLessThan(1900)
    session.destroy()
    await listener.close(0)
  })

  it('what is no HTTP is told so in plain text', async () => {
    const listener = await open({ '/ok': () => plainText(200, 'ok') })
    const socket = tls.connect({ port: listener.port, host: '127.0.0.1', ca: authority.certificate })
    await once(socket, 'secureConnect')
    socket.write('FOO /ok HTTP/1.1\r\nHost: x\r\n\r\n')
    let text = ''
    for await (const chunk of socket) text += String(chunk)
    expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n(?:.+\r\n)*Content-Type: text\/plain/)
    expect(text.endsWith('\r\n\r\n400 Bad Request')).toBe(true)
    await listener.close(0)
  })

  it('a handshake that takes too long ends with its connection, and nothing is said to it', async () => {
    const listener = await open({}, [], { handshakeTimeoutMs: 50 })
    const raw = net.connect({ port: listener.port, host: '127.0.0.1' })
    raw.on('error', () => {})
    const ended = once(raw, 'close')
    // The client's first word is passed on; what it says to the server's answer never comes.
    let isHello = true
    const socket = new Duplex({
      read: () => {},
      write: (chunk: Buffer, _encoding, done) => {
        if (isHello) raw.write(chunk)
        isHello = false
        done()
      },
    })
    raw.on('data', (chunk: Buffer) => socket.push(chunk))
    const client = tls.connect({ socket, ca: authority.certificate, ALPNProtocols: ['h2'] })
    client.on('error', () => {}).on('data', () => expect.unreachable())
    await ended
    client.destroy()
    await listener.close(0)
  })

  it('each handshake is told of, and nobody who says nothing', async () => {
    let handshakes = 0
    const listener = await open({}, [], { onHandshake: () => handshakes++ })
    const silent = net.connect({ port: listener.port, host: '127.0.0.1' })
    await once(silent, 'connect')
    for (let i = 1; i <= 3; i++) {
      const socket = tls.connect({ port: listener.port, host: '127.0.0.1', ca: authority.certificate })
      await once(socket, 'secureConnect')
      expect(handshakes).toBe(i)
      socket.destroy()
    }
    silent.destroy()
    await listener.close(0)
  })

  it('headers may be many and long, but not without end', async () => {
    const listener = await open({ '/ok': () => plainText(200, 'ok') })
    const groups = Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`x-group-${i}`, 'g'.repeat(100)]))
    expect((await overHttp1(listener, '/ok', { headers: groups })).status).toBe(200)
    expect((await overHttp2(listener, '/ok', { headers: groups })).status).toBe(200)
    // Whether the refusal arrives before the connection is closed on a client that is still sending is a matter of luck.
    const status = await overHttp1(listener, '/ok', { headers: { 'x-long': 'x'.repeat(1024 * 1024) } }).then(
      (answer) => answer.status,
      () => 431,
    )
    expect(status).toBe(431)
    await listener.close(0)
  })
})

/** What a watch does: it says something, and goes on. */
const untilEnded =
  (onBegun: () => void): Handler =>
  ({ signal }) => ({
    status: 200,
    headers: {},
    body: {
      kind: 'stream',
      run: (sink) =>
        new Promise((_resolve, reject) => {
          sink.write(Buffer.from('begun\n'))
          onBegun()
          signal.addEventListener('abort', () => reject(new Error('cancelled')))
        }),
    },
  })

describe.each([
  ['HTTP/1.1', overHttp1],
  ['HTTP/2', overHttp2],
])('a document that is larger than what a connection may leave unread, over %s', (_, send) => {
  it('comes as fast as it is read, to several clients', async () => {
    const document = Buffer.from(Array.from({ length: 40 * 1024 }, (_, i) => `${i}`.padStart(1023)).join('\n'))
    const limits = { perConnectionBytes: 8 * 1024 * 1024, totalBytes: 32 * 1024 * 1024 }
    const finished: FinishedRequest[] = []
    const listener = await open({ '/document': () => bytes(document, false) }, finished, { unfinished: limits })
    const answers = await Promise.all(Array.from({ length: 3 }, () => send(listener, '/document')))
    for (const { status, headers, body } of answers) {
      expect([status, headers['content-length']]).toEqual([200, String(document.length)])
      expect(body.equals(document)).toBe(true)
    }
    const head = await send(listener, '/document', { method: 'HEAD' })
    expect([head.headers['content-length'], head.body.length]).toEqual([String(document.length), 0])
    expect(finished.slice(0, 3).map(({ sentBytes }) => sentBytes)).toEqual(answers.map(({ body }) => body.length))
    await listener.close(0)
  })
})

describe('closing', () => {
  it('lets short requests finish and ends watches cleanly', async () => {
    const release = Promise.withResolvers<void>()
    const started = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const listener = await open({
      '/slow': async () => {
        started.resolve()
        await release.promise
        return plainText(200, 'done')
      },
      '/api/v1/pods': untilEnded(begun.resolve),
    })
    const slow = overHttp2(listener, '/slow')
    const watch = overHttp1(listener, '/api/v1/pods?watch')
    await Promise.all([started.promise, begun.promise])
    const closed = listener.close(10_000)
    expect((await watch).body.toString()).toBe('begun\n')
    await expect(overHttp1(listener, '/slow')).rejects.toThrow('ECONNREFUSED')
    release.resolve()
    expect((await slow).body.toString()).toBe('done')
    await closed
  })

  it('asks for another connection with the next answer, of those that were open', async () => {
    const listener = await open({ '/': () => plainText(200, 'here') })
    const agent = new https.Agent({ keepAlive: true, maxSockets: 1, ca: authority.certificate })
    const ask = (): Promise<Answer> => overHttp1(listener, '/', { agent })
    const session = http2.connect(`https://127.0.0.1:${listener.port}`, { ca: authority.certificate })
    await once(session, 'connect')
    const farewell = once(session, 'goaway')
    expect((await ask()).headers.connection).not.toBe('close')
    listener.drain()
    const asked = await ask()
    expect([asked.status, asked.headers.connection]).toEqual([200, 'close'])
    expect((await ask()).headers.connection).not.toBe('close')
    expect((await farewell).slice(0, 2)).toEqual([0, 2 ** 31 - 1])
    agent.destroy()
    session.destroy()
    await listener.close(0)
  })

  it('answers who asks on an open connection meanwhile, and ends the watches that come then', async () => {
    const [started, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const listener = await open({
      '/slow': async () => {
        started.resolve()
        await release.promise
        return plainText(200, 'done')
      },
      '/quick': () => plainText(200, 'quick'),
      '/api/v1/pods': untilEnded(() => {}),
    })
    const agents = Array.from({ length: 2 }, () => {
      const agent = new https.Agent({ keepAlive: true, maxSockets: 1, ca: authority.certificate })
      return { ask: (path: string) => overHttp1(listener, path, { agent }) }
    })
    for (const { ask } of agents) await ask('/quick')
    const slow = overHttp1(listener, '/slow')
    await started.promise
    const closed = listener.close(60_000)
    const quick = await agents[0]!.ask('/quick')
    expect([quick.status, quick.headers.connection]).toEqual([200, 'close'])
    const watch = await agents[1]!.ask('/api/v1/pods?watch')
    expect([watch.status, watch.body.toString()]).toEqual([200, 'begun\n'])
    release.resolve()
    expect((await slow).body.toString()).toBe('done')
    await closed
  })

  it('breaks no answer off that waited for the one before it', async () => {
    const begun = Promise.withResolvers<void>()
    const listener = await open({ '/api/v1/pods': untilEnded(begun.resolve) })
    const socket = tls.connect({ host: '127.0.0.1', port: listener.port, ca: authority.certificate })
    const watch = 'GET /api/v1/pods?watch HTTP/1.1\r\nHost: x\r\n\r\n'
    socket.write(watch + watch)
    await begun.promise
    const closed = listener.close(10_000)
    let received = ''
    for await (const chunk of socket) received += String(chunk)
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\nbegun\n\r\n0\r\n\r\n$/)
    expect(received.split('HTTP/1.1')).toHaveLength(2)
    await closed
  })

  it('does not wait for ever', async () => {
    const started = Promise.withResolvers<void>()
    const listener = await open({
      '/stuck': () => {
        started.resolve()
        return new Promise(() => {})
      },
    })
    const stuck = overHttp1(listener, '/stuck')
    stuck.catch(() => {})
    await started.promise
    await listener.close(20)
    await expect(stuck).rejects.toThrow()
  })
})
