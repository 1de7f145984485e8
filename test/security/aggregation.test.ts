// A server behind this one must not lead clients elsewhere, nor be reached past this one.
import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { makeAuthority, makeServing } from '../../src/pki/certificate-maker.ts'
import { expectNoStall, longestStall } from '../rigs/longest-stall.ts'
import { processorMilliseconds } from '../rigs/processor-time.ts'
import { type OpenServer, openServer } from '../rigs/running-server.ts'

const GROUP = 'remote.example.com'
const HOUR = 3_600_000

const PAGE = '<script>alert(1)</script>'

/** Each would act on the origin of the console, or on this connection. */
const HOSTILE: Readonly<Record<string, string>> = {
  'Set-Cookie': '__Secure-quarterdeck=x; Path=/console',
  'Set-Cookie2': 'a=b',
  'Clear-Site-Data': '"*"',
  'Service-Worker-Allowed': '/',
  Location: 'https://169.254.169.254/',
  'Content-Location': '/console',
  Refresh: '0; url=https://169.254.169.254/',
  Link: '</x.js>; rel=preload; as=script',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Credentials': 'true',
  'Strict-Transport-Security': 'max-age=0',
  'Alt-Svc': 'h3=":443"',
  'WWW-Authenticate': 'Basic realm="console"',
  'Proxy-Authenticate': 'Basic',
  'Content-Disposition': 'inline; filename=a.html',
  'Content-Security-Policy': "default-src * 'unsafe-inline'",
  'Content-Security-Policy-Report-Only': 'report-uri https://169.254.169.254/',
  'X-Content-Type-Options': 'sniff',
  'X-Frame-Options': 'ALLOWALL',
  'Cross-Origin-Opener-Policy': 'unsafe-none',
  NEL: '{}',
  'Report-To': '{}',
  'Reporting-Endpoints': 'a="https://169.254.169.254/"',
  SourceMap: '/a',
  'Speculation-Rules': '"/a"',
  'Audit-Id': 'made-up',
  'X-Kubernetes-PF-FlowSchema-UID': 'made-up',
  'Keep-Alive': 'timeout=9',
  Trailer: 'Set-Cookie',
  'X-Anything-Else': 'a',
}

let server: OpenServer
let backend: Server
/** What came on connections to the backend behind the head of an upgrade. */
let heard = ''
let upgrades: string[] = []
/** The targets of all requests to the backend. */
let asked: string[] = []
/** Serves a group by the backend. */
let serve: (group: string) => Promise<void>

const LONG_GROUP = 'long.example.com'
const many = <T>(size: number, make: (i: number) => T): T[] => Array.from({ length: size }, (_, i) => make(i))
const LONG_LIST = Buffer.from(
  JSON.stringify({
    kind: 'APIResourceList',
    resources: many(15_000, (i) => ({ name: i % 2 === 0 ? `r${i}` : `r${i - 1}/s`, kind: 'R', verbs: ['get'] })),
  }),
)
const LONG_DOCUMENT = Buffer.from(
  JSON.stringify({
    paths: Object.fromEntries(
      many(20_000, (i) => [`/apis/${LONG_GROUP}/v1/r${i}`, { get: { schema: { $ref: `#/definitions/d${i}` } } }]),
    ),
    definitions: Object.fromEntries(many(20_000, (i) => [`d${i}`, { properties: { a: { format: `f${i}` } } }])),
  }),
)
const LONG_ANSWERS = new Map([
  [`/apis/${LONG_GROUP}/v1`, LONG_LIST],
  ['/openapi/v2', LONG_DOCUMENT],
])
let isLong = false

beforeAll(async () => {
  const authority = makeAuthority(HOUR)
  const { certificate, key } = makeServing(authority, { dns: ['backend.default.svc'], addresses: [] }, HOUR)
  backend = createServer({ cert: certificate, key }, ({ url = '' }, response) => {
    asked.push(url)
    const long = isLong ? LONG_ANSWERS.get(url) : undefined
    if (long !== undefined) return void response.end(long)
    const said = /says-([\w-]*)/.exec(url)?.[1]
    if (said !== undefined) {
      const [code, headers] = JSON.parse(Buffer.from(said, 'base64url').toString()) as [number, Record<string, string>]
      response.writeHead(code, headers).end(code === 304 ? undefined : PAGE)
      return
    }
    if (url.endsWith('/large')) return void response.writeHead(200, { warning: 'x'.repeat(20_000) }).end('{}')
    const status = Number(/moved-(\d+)/.exec(url)?.[1] ?? 200)
    response.writeHead(status, { location: 'https://169.254.169.254/', 'content-type': 'application/json' })
    response.end('{"kind":"APIResourceList","resources":[]}')
  })
  backend.on('upgrade', ({ url = '' }: { url?: string }, socket: Duplex, head: Buffer) => {
    upgrades.push(url)
    heard += head.toString()
    socket.on('error', () => {})
    socket.on('data', (piece: Buffer) => void (heard += piece.toString()))
    if (url.includes('switches')) {
      const more = Object.entries({ ...HOSTILE, 'Sec-WebSocket-Accept': 'a', 'X-Stream-Protocol-Version': 'v4' })
      const lines = [...more, ['Connection', 'Upgrade'], ['Upgrade', 'SPDY/3.1']].map(
        (line) => `${line.join(': ')}\r\n`,
      )
      return void socket.end(`HTTP/1.1 101 Well\r\n${lines.join('')}\r\n`)
    }
    const status = Number(/answers-(\d+)/.exec(url)?.[1])
    // The connection stays open on this side, whatever the answer says.
    const told = `Location: https://localhost:${(backend.address() as AddressInfo).port}/elsewhere\r\nContent-Length: 2`
    socket.write(`HTTP/1.1 ${status} Well\r\n${told}\r\n\r\nno`)
  })
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve))
  server = await openServer()
  const spec = { type: 'ExternalName', externalName: 'localhost' }
  await server.must('/api/v1/namespaces/default/services', {
    method: 'POST',
    body: { metadata: { name: 'backend' }, spec },
  })
  const service = { namespace: 'default', name: 'backend', port: (backend.address() as AddressInfo).port }
  const caBundle = Buffer.from(authority.certificate).toString('base64')
  serve = async (group) => {
    await server.must('/apis/apiregistration.k8s.io/v1/apiservices', {
      method: 'POST',
      body: {
        metadata: { name: `v1.${group}` },
        spec: { group, version: 'v1', service, caBundle, groupPriorityMinimum: 100, versionPriority: 10 },
      },
    })
    const isServed = async (): Promise<void> => expect((await server.request(`/apis/${group}/v1`)).status).toBe(200)
    await vi.waitFor(isServed, { interval: 20, timeout: 40_000 })
  }
  await serve(GROUP)
})
afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
  backend?.closeAllConnections()
  backend?.close()
})

describe('CVE-2022-3172: redirects of servers behind this one', () => {
  it.each([301, 302, 303, 307, 308])('%i is not passed on (P-386, D25)', async (status) => {
    for (const method of ['GET', 'POST']) {
      const answer = await server.request(`/apis/${GROUP}/v1/moved-${status}`, { method })
      expect([answer.status, answer.headers['location']]).toEqual([502, undefined])
    }
  })
})

/** Everything that comes until the connection ends; what is behind the request is sent with it, and again with the answer. */
async function answerToUpgrade(target: string, protocol: string): Promise<string> {
  const { hostname, port } = new URL(server.url)
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
  const behind = 'GET /secrets HTTP/1.1\r\nHost: x\r\nX-Remote-User: root\r\n\r\n'
  const lines = [`GET ${target} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${server.adminToken}`]
  const asking = [...lines, 'Connection: Upgrade', `Upgrade: ${protocol}`, '', ''].join('\r\n')
  let text = ''
  socket.on('error', () => {})
  socket.on('data', (piece: Buffer) => {
    text += piece.toString()
    socket.write(behind)
  })
  socket.write(asking + behind)
  await once(socket, 'close')
  return text
}

describe('CVE-2018-1002105: an upgrade that the server behind this one refuses', () => {
  it('leaves the client without a connection, and nothing of what it sent behind goes further', async () => {
    for (const status of [200, 400, 403, 500]) {
      const text = await answerToUpgrade(`/apis/${GROUP}/v1/answers-${status}`, 'SPDY/3.1')
      // Whatever is on its way to the backend is there before the next answer.
      await server.must(`/apis/${GROUP}/v1`)
      expect(text.match(/^HTTP\/1\.1 \d+/gm)).toEqual([`HTTP/1.1 ${status}`])
      expect(heard).not.toContain('/secrets')
    }
  })

  it('is not even tried for what is no stream of ours', async () => {
    upgrades = []
    for (const protocol of ['h2c', 'TLS/1.0', 'websocket, h2c']) {
      await answerToUpgrade(`/apis/${GROUP}/v1/answers-200`, protocol)
    }
    expect(upgrades).toEqual([])
  })
})

describe('CVE-2020-8559: a redirect in answer to an upgrade', () => {
  it.each([301, 302, 307, 308])('%i is followed by nobody (P-386, D25)', async (status) => {
    upgrades = []
    const target = `/apis/${GROUP}/v1/answers-${status}`
    const text = await answerToUpgrade(target, 'SPDY/3.1')
    expect(text).toMatch(/^HTTP\/1\.1 502/)
    expect(text).not.toMatch(/location/i)
    expect(upgrades).toEqual([target])
  })
})

function saying(code: number, headers: Readonly<Record<string, string>>): string {
  return `/apis/${GROUP}/v1/says-${Buffer.from(JSON.stringify([code, headers])).toString('base64url')}`
}

const SANDBOX = {
  'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
}

describe('what a server behind this one says to browsers', () => {
  it.each([200, 401, 404, 500])('is kept from the origin of the console: headers of a %i', async (code) => {
    const { headers, status } = await server.request(saying(code, { ...HOSTILE, 'Content-Type': 'application/json' }))
    expect([status, headers]).toEqual([
      code,
      {
        ...SANDBOX,
        'content-type': 'application/json',
        'cache-control': 'no-cache, private',
        'audit-id': expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        date: expect.any(String) as string,
        connection: 'keep-alive',
        'keep-alive': 'timeout=90',
        'transfer-encoding': 'chunked',
        'x-kubernetes-pf-flowschema-uid': expect.not.stringContaining('made-up') as string,
        'x-kubernetes-pf-prioritylevel-uid': expect.any(String) as string,
      },
    ])
  })

  it('is kept from it also in an answer that switches protocols', async () => {
    const head = (await answerToUpgrade(`/apis/${GROUP}/v1/switches`, 'SPDY/3.1')).split('\r\n\r\n')[0]!
    const lines = head.split('\r\n').slice(1)
    expect(lines.map((line) => line.split(':')[0]!.toLowerCase()).sort()).toEqual([
      'audit-id',
      'connection',
      'sec-websocket-accept',
      'upgrade',
      'x-stream-protocol-version',
    ])
    expect(head).not.toContain('made-up')
  })

  const FILE = ['application/octet-stream', 'attachment']
  const TEXT = ['text/plain; charset=utf-8', undefined]
  it.each([
    ['text/html', TEXT],
    ['text/html; charset=utf-8', TEXT],
    ['TEXT/HTML', TEXT],
    ['text/html;application/json', TEXT],
    ['text/javascript', TEXT],
    ['text/css', TEXT],
    ['text/xml', TEXT],
    ['application/json, text/html', FILE],
    ['application/json;a=b, text/html', FILE],
    ['application/xhtml+xml', FILE],
    ['application/xml', FILE],
    ['application/javascript', FILE],
    ['application/wasm', FILE],
    ['application/pdf', FILE],
    ['image/svg+xml', FILE],
    ['multipart/x-mixed-replace; boundary=a', FILE],
    ['message/rfc822', FILE],
    ['application/json/html', FILE],
    ['application/jsonhtml', FILE],
    [' ', [undefined, undefined]],
    ['nonsense', FILE],
  ])('is no page: %j', async (type, expected) => {
    const { headers, body } = await server.request(saying(200, { 'Content-Type': type }))
    expect([headers['content-type'] || undefined, headers['content-disposition']]).toEqual(expected)
    expect([headers, body]).toEqual([expect.objectContaining(SANDBOX), PAGE])
  })

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;as=Table;g=meta.k8s.io;v=v1',
    'application/problem+json',
    'application/apply-patch+yaml',
    'application/yaml',
    'application/cbor',
    'application/cbor-seq',
    'application/vnd.kubernetes.protobuf',
    'application/vnd.kubernetes.protobuf;stream=watch',
    'application/com.github.proto-openapi.spec.v3.v1.0+protobuf',
    'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
    'application/octet-stream',
    'text/plain',
    'text/plain; charset=utf-8',
    'text/event-stream',
  ])('is passed on where it is data: %s', async (type) => {
    const { headers } = await server.request(saying(200, { 'Content-Type': type }))
    expect([headers['content-type'], headers['content-disposition']]).toEqual([type, undefined])
  })

  it('is passed on where clients need it', async () => {
    const needed = {
      'content-type': 'application/json',
      warning: '299 - "old", 299 - "odd"',
      'retry-after': '7',
      etag: '"1"',
      'last-modified': 'Sat, 01 Jan 2000 00:00:00 GMT',
      'cache-control': 'public, max-age=1',
      expires: 'Sat, 01 Jan 2000 00:00:00 GMT',
      'content-encoding': 'identity',
      'content-range': 'bytes 0-1/2',
      allow: 'GET',
      vary: 'Accept',
      'x-accepted-stream-protocol-versions': 'v4.channel.k8s.io',
    }
    for (const code of [200, 206, 304, 429]) {
      const { headers, status } = await server.request(saying(code, needed))
      expect([status, headers]).toEqual([code, expect.objectContaining(needed)])
    }
  })

  it('is kept from the client where its head is larger than any server needs', async () => {
    const { status, body } = await server.request(`/apis/${GROUP}/v1/large`)
    expect([status, body]).toEqual([503, expect.stringContaining('error trying to reach service')])
  })

  it('reaches pages of the console without a way to act there', async () => {
    const own = { 'sec-fetch-site': 'same-origin' }
    const login = await server.request('/console/login', {
      method: 'POST',
      token: '',
      headers: own,
      body: { token: server.adminToken },
    })
    const cookie = login.headers['set-cookie']?.[0]?.split(';', 1)[0] ?? ''
    const ask = (path: string) => server.request(path, { token: '', headers: { cookie, ...own } })
    const page = await ask(`/console/api${saying(200, { ...HOSTILE, 'Content-Type': 'text/html' })}`)
    expect(page.headers).toMatchObject({ ...SANDBOX, 'content-type': 'text/plain; charset=utf-8' })
    expect(page.headers['set-cookie']).toBeUndefined()
    // And neither do this server's own answers there.
    for (const path of ['/api/v1/namespaces', '/api/v1/namespaces/none', '/nowhere', '/openapi/v2', '/metrics'])
      expect([path, (await ask(`/console/api${path}`)).headers]).toEqual([path, expect.objectContaining(SANDBOX)])
    for (const path of ['/console/api', '/console/api/api/v1/namespaces', '/console/session'])
      expect((await server.request(path, { token: '' })).headers).toMatchObject({ 'x-content-type-options': 'nosniff' })
  })
})

describe('a query with several values, of which servers take another one', () => {
  it.each(['fieldSelector=metadata.name%3Da&fieldSelector=', 'labelSelector=a&labelSelector=b', 'watch=0&watch=1'])(
    'goes no further: %s',
    async (query) => {
      asked = []
      const name = query.slice(0, query.indexOf('='))
      const answer = await server.request(`/apis/${GROUP}/v1/things?${query}`)
      expect([answer.status, answer.json()['message']]).toEqual([400, `the query has several values of ${name}`])
      expect((await server.request(`/apis/${GROUP}/v1/things?watch=0&watch=0&other=a&other=b`)).status).toBe(200)
      const passed = asked.filter((url) => url.includes('things'))
      expect(passed).toEqual([`/apis/${GROUP}/v1/things?watch=0&watch=0&other=a&other=b`])
    },
  )
})

describe('a path with dot segments', () => {
  const forms: readonly string[] = ['..', '.', '%2e%2e', '%2E%2E', '.%2e', '%2e.', '%2e', '..%2f..', '%2f..%2f', '.%2F']
  const targets = forms.flatMap((dots) => [
    `/openapi/v3/apis/${GROUP}/v1/${dots}/${dots}/${dots}/${dots}/apis/${GROUP}/v1/secrets`,
    `/apis/${GROUP}/v1/things/${dots}/secrets`,
    `/apis/${GROUP}/v1/namespaces/${dots}/secrets`,
    `/apis/${GROUP}/v1/${dots}`,
    `/apis/${dots}/apis/${GROUP}/v1/secrets`,
    `/healthz/${dots}/apis/${GROUP}/v1/secrets`,
    `/${dots}/apis/${GROUP}/v1/secrets`,
    `https://SERVER/apis/${GROUP}/v1/${dots}/secrets?watch=1`,
  ])

  it('is refused before anybody is asked who sends it, and goes no further (D36)', async () => {
    upgrades = []
    asked = []
    for (const each of targets) {
      const target = each.replace('https://SERVER', server.url)
      for (const token of [server.adminToken, '', 'nobody-knows-this']) {
        const answer = await server.request(target, { token })
        expect([answer.status, answer.json()['reason']], target).toEqual([400, 'BadRequest'])
      }
      expect(await answerToUpgrade(target, 'websocket'), target).toMatch(/^HTTP\/1\.1 400/)
    }
    // Whatever is on its way to the backend is there before this answer.
    await server.must(`/apis/${GROUP}/v1/last`)
    // The server itself asks for discovery and documents.
    const known = [`/apis/${GROUP}/v1`, '/apis', '/openapi/v2', '/openapi/v3']
    expect(asked.filter((url) => !known.includes(url.replace(/\?.*/, '')))).toEqual([`/apis/${GROUP}/v1/last`])
    expect(upgrades).toEqual([])
  })

  it('that only some servers take for one goes no further either', async () => {
    asked = []
    for (const dots of [
      '..;',
      '..;a=b',
      '.;',
      '%2e%2e%3b',
      '%252e%252e',
      '.%252E',
      '%252e;x',
      '..%5c..',
      '%5c..%5c',
      '..%5C',
    ]) {
      const target = `/openapi/v3/apis/${GROUP}/v1/${dots}/${dots}/${dots}/${dots}/apis/${GROUP}/v1/secrets`
      const answer = await server.request(target)
      expect([answer.status, answer.json()['reason']], target).toEqual([400, 'BadRequest'])
      expect(await answerToUpgrade(target, 'websocket'), target).toMatch(/^HTTP\/1\.1 400/)
    }
    await server.must(`/apis/${GROUP}/v1/last`)
    expect(asked.filter((url) => url.includes('secrets'))).toEqual([])
    expect((await server.request(`/apis/${GROUP}/v1/things/a;b`)).status).toBe(200)
  })

  it('is another thing than dots in a name or in a query', async () => {
    for (const target of ['things/a..b', 'things/...', 'things/.a', 'things?labelSelector=a/../b']) {
      expect((await server.request(`/apis/${GROUP}/v1/${target}`)).status, target).toBe(200)
    }
  })
})

it('long documents of another server hold nobody up', async () => {
  isLong = true
  const discovery = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' }
  const sizes = async (): Promise<readonly [number, number]> => {
    const [groups, document] = [
      await server.request('/apis', { headers: discovery }),
      await server.request('/openapi/v2'),
    ]
    return [groups.body.split(`"kind":"R"`).length, document.body.split(`/apis/${LONG_GROUP}/v1/r`).length]
  }
  const once = async (): Promise<void> => {
    await serve(LONG_GROUP)
    await expect.poll(sizes).toEqual([15_001, 20_001])
    await server.must(`/apis/apiregistration.k8s.io/v1/apiservices/v1.${LONG_GROUP}`, { method: 'DELETE' })
    await expect.poll(async () => (await server.request(`/apis/${LONG_GROUP}/v1`)).status).toBe(404)
  }
  const parsing = (): void => void JSON.parse(LONG_DOCUMENT.toString())
  await expectNoStall(() => longestStall(once), processorMilliseconds(parsing))
})
