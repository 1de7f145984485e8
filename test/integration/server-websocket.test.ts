import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { SILENT_LOG } from '../../src/lib/log.ts'
import { bearerTokens } from '../../src/auth/bearer-tokens.ts'
import { allowMasters } from '../../src/auth/authorizer.ts'
import { staticTokens } from '../../src/auth/token-file.ts'
import { InFlight } from '../../src/flow/in-flight.ts'
import { openStages } from '../../src/http/stages.ts'
import { HttpMeasures } from '../../src/http/measures.ts'
import type { Handler } from '../../src/http/http.ts'
import { type Listener, openListener } from '../../src/http/listener.ts'
import { routeRequests } from '../../src/http/router.ts'
import { tlsRules } from '../../src/config/tls-config.ts'
import { makeAuthority, makeServing } from '../../src/pki/certificate-maker.ts'

const authority = makeAuthority(60_000)
const serving = makeServing(authority, { dns: [], addresses: ['127.0.0.1'] }, 60_000)
const root = { name: 'root', uid: undefined, groups: ['system:masters'], extra: {} }

const lines =
  (contentType: string, count: number): Handler =>
  () => ({
    status: 200,
    headers: { 'content-type': contentType },
    body: {
      kind: 'stream',
      async run(sink) {
        for (let i = 0; i < count; i++) if (!sink.write(Buffer.from(`{"n":${i}}\n`))) await sink.drained()
      },
    },
  })

const forever: Handler = ({ signal }) => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: {
    kind: 'stream',
    run: (sink) =>
      new Promise((_resolve, reject) => {
        sink.write(Buffer.from('begun'))
        signal.addEventListener('abort', () => reject(signal.reason as Error))
      }),
  },
})

let listener: Listener
async function open(): Promise<Listener> {
  const router = routeRequests({
    routes: [
      { path: '/json', handler: lines('application/json', 3) },
      { path: '/binary', handler: lines('application/vnd.kubernetes.protobuf;stream=watch', 1) },
      { path: '/many', handler: lines('application/json', 20_000) },
    ],
    resources: forever,
  })
  return openListener({
    host: '127.0.0.1',
    port: 0,
    tls: { certificate: serving.certificate, key: serving.key, clientCa: undefined, proxyCa: undefined },
    log: SILENT_LOG,
    requestTimeoutMs: 60_000,
    ...tlsRules({ text: 'VersionTLS12', source: '' }, []),
    maxStreamsPerConnection: 100,
    observe: () => {},
    handler: openStages({
      router,
      log: SILENT_LOG,
      encodeStatus: () => Buffer.of(),
      cbor: false,
      authenticator: bearerTokens([staticTokens(new Map([['secret', root]]))], []).authenticator,
      authorizer: allowMasters(),
      flowControl: new InFlight({ reads: 0, writes: 0 }),
      measures: new HttpMeasures(),
      constrainedImpersonation: true,
      audit: undefined,
      anonymousRequests: true,
      anonymousHealth: false,
      allowedOrigins: [],
      strictTransport: [],
      isStarting: () => false,
      whenStarted: () => Promise.resolve(),
      isClosing: () => false,
      sendRetryAfter: false,
      goawayChance: 0,
    }),
  })
}

interface Dial {
  readonly origin?: string
  readonly headers?: Record<string, string>
  readonly protocols?: string[]
  readonly protocolVersion?: number
}

function dial(
  path: string,
  { headers = { authorization: 'Bearer secret' }, protocols = [], ...more }: Dial = {},
): WebSocket {
  const options = { ca: authority.certificate, origin: 'https://console.example', headers, ...more }
  return new WebSocket(`wss://127.0.0.1:${listener.port}${path}`, protocols, options)
}

async function messages(socket: WebSocket): Promise<{ texts: string[]; binary: boolean; code: number }> {
  const texts: string[] = []
  let binary = false
  socket.on('message', (data, isBinary) => {
    texts.push((data as Buffer).toString())
    binary = isBinary
  })
  const [code] = (await once(socket, 'close')) as [number]
  return { texts, binary, code }
}

async function refusal(socket: WebSocket): Promise<{ status: number | undefined; body: string; headers: object }> {
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage]
  let body = ''
  for await (const chunk of response) body += String(chunk)
  socket.on('error', () => {}).terminate()
  return { status: response.statusCode, body, headers: response.headers }
}

describe('a stream over a WebSocket (R-165, P-544)', () => {
  beforeAll(async () => {
    listener = await open()
  })
  afterAll(() => listener.close(0))

  it('is one text message a line of JSON, and ends with a close', async () => {
    expect(await messages(dial('/json'))).toEqual({
      texts: ['{"n":0}\n', '{"n":1}\n', '{"n":2}\n'],
      binary: false,
      code: 1000,
    })
  })

  it('is binary in other encodings', async () => {
    expect((await messages(dial('/binary'))).binary).toBe(true)
  })

  it('holds the writer back and loses nothing', async () => {
    expect((await messages(dial('/many'))).texts).toHaveLength(20_000)
  })

  it('echoes the one protocol that is offered', async () => {
    const socket = dial('/json', { protocols: ['base64.binary.k8s.io'] })
    await once(socket, 'open')
    expect(socket.protocol).toBe('base64.binary.k8s.io')
    await once(socket, 'close')
  })

  it('takes the token from among the protocols (P-034)', async () => {
    const token = `base64url.bearer.authorization.k8s.io.${Buffer.from('secret').toString('base64url')}`
    const socket = dial('/json', { headers: {}, protocols: [token, 'base64.binary.k8s.io'] })
    await once(socket, 'open')
    expect(socket.protocol).toBe('base64.binary.k8s.io')
    await once(socket, 'close')
    const alone = await refusal(dial('/json', { headers: {}, protocols: [token] }))
    expect(alone.status).toBe(401)
    const bad = token.replace(/.$/, '=')
    expect((await refusal(dial('/json', { headers: {}, protocols: [bad.slice(0, -1), 'x'] }))).status).toBe(401)
  })

  it('passes the filters first', async () => {
    const refused = await refusal(dial('/json', { headers: {} }))
    expect(refused.status).toBe(403)
    expect(JSON.parse(refused.body)).toMatchObject({ reason: 'Forbidden' })
    expect((await refusal(dial('/nope'))).body).toBe('404 page not found\n')
  })

  it('needs an origin and one protocol at most', async () => {
    expect(await refusal(dial('/json', { origin: 'null' }))).toMatchObject({ status: 403, body: '' })
    expect(await refusal(dial('/json', { protocols: ['a', 'b'] }))).toMatchObject({ status: 400, body: '' })
    expect(await refusal(dial('/json', { protocolVersion: 8 }))).toMatchObject({
      status: 400,
      body: 'missing or bad WebSocket Version',
      headers: { 'sec-websocket-version': '13' },
    })
    // It is refused by the handshake, not by the API.
    expect((await refusal(dial('/json', { origin: 'null' }))).headers).not.toHaveProperty('audit-id')
  })

  it('ends with the server, as if it had come to its end', async () => {
    const own = await open()
    const socket = new WebSocket(`wss://127.0.0.1:${own.port}/api/v1/pods?watch`, {
      ca: authority.certificate,
      origin: 'https://a.example',
      headers: { authorization: 'Bearer secret' },
    })
    await once(socket, 'message')
    const closed = once(socket, 'close')
    await own.close(1000)
    expect((await closed)[0]).toBe(1000)
  })
})
