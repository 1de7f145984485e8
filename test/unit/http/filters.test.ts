import { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { SILENT_LOG } from '../../../src/lib/log.ts'
import { ApiError } from '../../../src/api/status.ts'
import type { User } from '../../../src/api/user.ts'
import { Auditor } from '../../../src/audit/auditor.ts'
import { AuditMeasures } from '../../../src/audit/measures.ts'
import { parsePolicy } from '../../../src/audit/policy.ts'
import { firstOf } from '../../../src/auth/authenticator.ts'
import { bearerTokens } from '../../../src/auth/bearer-tokens.ts'
import { allowMasters, allowPublicPaths, chain } from '../../../src/auth/authorizer.ts'
import { CertificateAuthorities } from '../../../src/auth/certificate-authorities.ts'
import { clientCertificates } from '../../../src/auth/client-certificate.ts'
import { staticTokens } from '../../../src/auth/token-file.ts'
import { openStages, type StageOptions } from '../../../src/http/stages.ts'
import { InFlight } from '../../../src/flow/in-flight.ts'
import { HttpMeasures } from '../../../src/http/measures.ts'
import { timeoutAnswer } from '../../../src/http/errors.ts'
import type { Caller, CallerHandler, Handler, HttpRequest, HttpResponse } from '../../../src/http/http.ts'
import { pageNotFound, plainText } from '../../../src/http/responses.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { makeAuthority, makeSigned } from '../../../src/pki/certificate-maker.ts'
import { bodyText, fakeRequest, type FakeChanges } from './fake-request.ts'

const AUTHORITY = makeAuthority(60_000)
const JANE = new X509Certificate(
  makeSigned(AUTHORITY, { commonName: 'jane', organizations: ['dev', 'qa'], usages: ['client'] }, 60_000).certificate,
).raw

const users = new Map([
  ['root-token', { name: 'root', uid: '1', groups: ['system:masters'], extra: {} }],
  ['bob-token', { name: 'bob', uid: undefined, groups: ['dev'], extra: {} }],
  ['odd-token', { name: 'a<b>&"', uid: undefined, groups: [], extra: {} }],
])

const options: StageOptions = {
  router: () => plainText(200, 'hello'),
  log: SILENT_LOG,
  encodeStatus: () => Buffer.of(),
  cbor: false,
  authenticator: firstOf([
    clientCertificates(new CertificateAuthorities(AUTHORITY.certificate), systemClock),
    bearerTokens([staticTokens(users)], []).authenticator,
  ]),
  authorizer: chain([allowMasters(), allowPublicPaths()]),
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
}

const says =
  (text: string): Handler =>
  () =>
    plainText(200, text)

async function send(line: string, changes: FakeChanges = {}, more: Partial<StageOptions> = {}) {
  return openStages({ ...options, router: says('hello'), ...more })(fakeRequest(line, changes))
}

/** Whether the client is told to come back on another connection. */
async function isSentAway(line: string, changes: FakeChanges = {}, more: Partial<StageOptions> = {}) {
  const request = fakeRequest(line, changes)
  await openStages({ ...options, router: says('hello'), ...more })(request)
  return request.isSentAway
}

function as(token: string): FakeChanges {
  return { authorization: `Bearer ${token}` }
}

function messageOf(response: HttpResponse): unknown {
  return (JSON.parse(bodyText(response)) as { message: unknown }).message
}

const afar = {
  address: '10.0.0.9',
  isLoopback: false,
  protocol: 'h2',
  certificate: undefined,
  hangUp: () => {},
} as const

describe('who is asking', () => {
  it('a bad token is refused even where strangers are welcome (R-015, P-012, P-014)', async () => {
    const response = await send('GET /livez', as('nope'))
    expect(response.status).toBe(401)
    expect(messageOf(response)).toBe('Unauthorized')
  })

  it('the scheme counts in any case, an empty token does not (P-030)', async () => {
    expect((await send('GET /x', { authorization: 'BEARER root-token' })).status).toBe(200)
    expect((await send('GET /livez', { authorization: 'Bearer ' })).status).toBe(200)
    expect((await send('GET /livez', { authorization: 'Bearer' })).status).toBe(200)
  })

  it('what follows the token, and spaces around all of it, count for nothing (P-030)', async () => {
    expect((await send('GET /x', { authorization: ' Bearer root-token and more ' })).status).toBe(200)
  })

  it('a token after two spaces is ignored, and the caller is told (P-031)', async () => {
    const request = fakeRequest('GET /livez', { authorization: 'Bearer  root-token' })
    expect((await openStages({ ...options, router: says('hello') })(request)).status).toBe(200)
    expect(request.warnings).toEqual([expect.stringContaining('contains extra space')])
  })

  it('the handler sees the user and not the credential (P-013, P-016)', async () => {
    let seen: Caller | undefined
    let credential: string | undefined = 'not asked'
    const handler: CallerHandler = (request, caller) => {
      seen = caller
      credential = request.takeCredential()
      return pageNotFound()
    }
    await openStages({ ...options, router: handler })(fakeRequest('GET /x', as('root-token')))
    expect(seen?.user).toEqual({
      name: 'root',
      uid: '1',
      groups: ['system:masters', 'system:authenticated'],
      extra: {},
    })
    expect(credential).toBeUndefined()
  })

  it('nobody is anonymous where that is switched off', async () => {
    expect((await send('GET /livez', {}, { anonymousRequests: false })).status).toBe(401)
  })

  it('strangers have to leave an HTTP/2 connection, others and HTTP/1.1 keep theirs (R-277, P-015)', async () => {
    const h2 = { ...afar, isLoopback: true }
    expect(await isSentAway('GET /livez', { remote: h2 })).toBe(true)
    expect(await isSentAway('GET /api/v1/pods', { remote: h2 })).toBe(true)
    expect(await isSentAway('GET /livez', { remote: h2, ...as('nope') })).toBe(true)
    expect(await isSentAway('GET /livez', { remote: h2, ...as('root-token') })).toBe(false)
    expect(await isSentAway('GET /livez')).toBe(false)
  })

  it('a client certificate names user and groups, and comes before a token (P-010, P-021, P-023)', async () => {
    const certificate = { der: JANE, chain: [], trusted: true, subject: { CN: 'jane', O: ['dev', 'qa'] } }
    let seen: Caller | undefined
    const handler: CallerHandler = (_request, caller) => {
      seen = caller
      return pageNotFound()
    }
    const remote = { ...afar, certificate }
    await openStages({ ...options, router: handler, authorizer: { authorize: () => ({ kind: 'allow' }) } })(
      fakeRequest('GET /x', { remote, ...as('bob-token') }),
    )
    expect(seen?.user).toMatchObject({ name: 'jane', groups: ['dev', 'qa', 'system:authenticated'] })
    expect(seen?.user.extra['authentication.kubernetes.io/credential-id']).toEqual([
      expect.stringMatching(/^X509SHA256=[0-9a-f]{64}$/),
    ])
  })

  it('a bad certificate is forgiven with a good token, and refused alone (P-011, P-012, P-020)', async () => {
    const certificate = { der: JANE, chain: [], trusted: false, subject: { CN: 'jane' } }
    const remote = { ...afar, certificate }
    expect((await send('GET /x', { remote, ...as('root-token') })).status).toBe(200)
    expect((await send('GET /livez', { remote })).status).toBe(401)
  })
})

const refusals: readonly (readonly [string, string, string, object])[] = [
  ['GET /metrics', 'bob-token', 'forbidden: User "bob" cannot get path "/metrics"', {}],
  ['POST /version', 'bob-token', 'forbidden: User "bob" cannot post path "/version"', {}],
  [
    'GET /api/v1/pods',
    'bob-token',
    'pods is forbidden: User "bob" cannot list resource "pods" in API group "" at the cluster scope',
    { kind: 'pods' },
  ],
  [
    'GET /api/v1/namespaces/ns/pods/p/log',
    'bob-token',
    'pods "p" is forbidden: User "bob" cannot get resource "pods/log" in API group "" in the namespace "ns"',
    { name: 'p', kind: 'pods' },
  ],
  [
    'DELETE /apis/apps/v1/namespaces/ns/deployments',
    'bob-token',
    'deployments.apps is forbidden: User "bob" cannot deletecollection resource "deployments" in API group "apps" in the namespace "ns"',
    { group: 'apps', kind: 'deployments' },
  ],
  [
    'OPTIONS /api/v1/pods',
    'bob-token',
    'pods is forbidden: User "bob" cannot  resource "pods" in API group "" at the cluster scope',
    { kind: 'pods' },
  ],
  ['GET /x', 'odd-token', 'forbidden: User "a&lt;b&gt;&amp;\\"" cannot get path "/x"', {}],
]

describe('who may do what (R-016, P-113 to P-115)', () => {
  it.each(refusals)('%s as %s', async (line, token, message, details) => {
    const response = await send(line, as(token))
    expect(response.status).toBe(403)
    expect(response.headers['x-content-type-options']).toBe('nosniff')
    expect(JSON.parse(bodyText(response))).toMatchObject({ message, reason: 'Forbidden', details, code: 403 })
  })

  it('the version and health are for everyone, discovery for those we know (R-050, P-147)', async () => {
    expect((await send('GET /version')).status).toBe(200)
    expect((await send('GET /readyz?verbose')).status).toBe(200)
    expect((await send('GET /apis')).status).toBe(403)
    expect((await send('GET /apis/apps/v1', as('bob-token'))).status).toBe(200)
    expect((await send('GET /livez/ping', as('bob-token'))).status).toBe(403)
  })

  it('health is not for strangers from other machines, unless they are let (R-339, D13)', async () => {
    expect((await send('GET /livez', { remote: afar })).status).toBe(403)
    expect((await send('GET /livez', { remote: afar }, { anonymousHealth: true })).status).toBe(200)
    expect((await send('GET /livez', { remote: afar, ...as('bob-token') })).status).toBe(200)
    expect((await send('GET /version', { remote: afar })).status).toBe(200)
  })
})

describe('time', () => {
  it('an unreadable timeout is told before anyone asks who it is (R-025, P-226)', async () => {
    const response = await send('GET /livez?timeout=abc', as('nope'))
    expect(response.status).toBe(400)
    expect(messageOf(response)).toBe('invalid timeout specified in the request URL - time: invalid duration "abc"')
  })

  it('a timeout in which nothing can be done is up before anyone asks who it is (R-024)', async () => {
    expect((await send('GET /livez?timeout=1ns', as('nope'))).status).toBe(504)
    expect((await send('GET /livez?timeout=1s')).status).toBe(200)
  })

  it('a request whose time is up is told so (R-024, P-225)', () => {
    const response = timeoutAnswer()
    expect(response.status).toBe(504)
    expect(response.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(bodyText(response)).toBe(
      '{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout",' +
        '"reason":"Timeout","details":{},"code":504}\n',
    )
  })
})

describe('faults', () => {
  it('of a body before its first piece are proper errors', async () => {
    const pieces: AsyncIterable<Buffer> = {
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new ApiError('Expired', 'too old')) }),
    }
    const handler: Handler = () => ({ status: 200, headers: {}, body: { kind: 'pieces', pieces } })
    const response = await openStages({ ...options, router: handler })(fakeRequest('GET /x', as('root-token')))
    expect(response.status).toBe(410)
  })

  it('a body that was begun loses nothing', async () => {
    const handler: Handler = () => ({
      status: 200,
      headers: {},
      body: { kind: 'pieces', pieces: ['a', 'b', 'c'].map((text) => Buffer.from(text)) },
    })
    const { body } = await openStages({ ...options, router: handler })(fakeRequest('GET /x', as('root-token')))
    if (body.kind !== 'pieces') throw new Error(`a body of kind ${body.kind}`)
    const all: Buffer[] = []
    for await (const piece of body.pieces) all.push(...[piece].flat())
    expect(Buffer.concat(all).toString()).toBe('abc')
  })

  it('a path that is cut off is told so (R-027, D20)', async () => {
    expect((await send('GET /api/v1/watch', as('root-token'))).status).toBe(400)
  })
})

describe('a starting server', () => {
  it('holds requests back until it has started', async () => {
    let isStarting = true
    const started = Promise.withResolvers<void>()
    const starting = { isStarting: () => isStarting, whenStarted: () => started.promise }
    const held = send('GET /api/v1/pods', as('root-token'), starting)
    expect((await send('GET /readyz', {}, starting)).status).toBe(200)
    const givenUp = send('GET /api/v1/pods', as('root-token'), { ...starting, isClosing: () => true })
    isStarting = false
    started.resolve()
    expect((await held).status).toBe(200)
    expect((await givenUp).status).toBe(503)
  })

  it('that takes too long puts requests off and answers probes (R-023, P-236)', async () => {
    const starting = { isStarting: () => true }
    const putOff = await send('GET /api/v1/pods', as('root-token'), starting)
    expect([putOff.status, putOff.headers['retry-after']]).toEqual([503, '5'])
    expect(messageOf(putOff)).toContain('before all known HTTP paths have been installed')
    expect((await send('GET /readyz', {}, starting)).status).toBe(200)
    expect((await send('GET /api/v1/pods', as('nope'), starting)).status).toBe(401)
  })
})

describe('a closing server', () => {
  it('answers who still asks', async () => {
    const closing = { isClosing: () => true }
    expect((await send('GET /api/v1/pods', as('root-token'), closing)).status).toBe(200)
  })

  it('that still takes connections tells them to try again (R-022, P-251)', async () => {
    const closing = { isClosing: () => true, sendRetryAfter: true }
    const refused = await send('GET /api/v1/pods', as('nope'), closing)
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '5' } })
    expect(await isSentAway('GET /api/v1/pods', as('nope'), closing)).toBe(true)
    expect(bodyText(refused)).toBe('The apiserver is shutting down, please try again later.\n')
    for (const path of ['/livez', '/readyz']) expect((await send(`GET ${path}`, {}, closing)).status).toBe(200)
    const open = { sendRetryAfter: true }
    expect((await send('GET /api/v1/pods', as('root-token'), open)).status).toBe(200)
  })
})

describe('connections', () => {
  it('of HTTP/2 are sent away now and then, those of HTTP/1.1 never (P-232)', async () => {
    const sometimes = { goawayChance: 1 }
    const remote = {
      address: '127.0.0.1',
      isLoopback: true,
      protocol: 'h2',
      certificate: undefined,
      hangUp: () => {},
    } as const
    expect(await isSentAway('GET /version', { ...as('root-token'), remote }, sometimes)).toBe(true)
    expect(await isSentAway('GET /version', as('root-token'), sometimes)).toBe(false)
    expect(await isSentAway('GET /version', { ...as('root-token'), remote })).toBe(false)
  })
})

describe('other origins (R-054, P-234)', () => {
  const allowedOrigins = [/^https:\/\/console\.example$/]

  it('are answered as if nobody had asked, where none are allowed', async () => {
    const request = fakeRequest('GET /livez', { headers: { origin: 'https://console.example' } })
    await openStages({ ...options, router: says('hello') })(request)
    expect(request.added).not.toHaveProperty('access-control-allow-origin')
  })

  it('get leave if they are named, and preflight before authentication', async () => {
    const asked = { headers: { origin: 'https://console.example' }, ...as('nope') }
    const preflight = await send('OPTIONS /api/v1/pods', asked, { allowedOrigins })
    expect(preflight.status).toBe(204)
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': 'https://console.example',
      'access-control-allow-credentials': 'true',
    })
    expect((await send('GET /livez', asked, { allowedOrigins })).status).toBe(401)
  })

  it('get leave to read refusals too (R-276)', async () => {
    const request = fakeRequest('GET /x', { headers: { origin: 'https://console.example' }, ...as('root-token') })
    const refusing = openStages({
      ...options,
      allowedOrigins,
      strictTransport: ['max-age=1', 'preload'],
      router: () => {
        throw new ApiError('NotFound', 'gone')
      },
    })
    expect((await refusing(request)).status).toBe(404)
    expect(request.added).toMatchObject({
      'access-control-allow-origin': 'https://console.example',
      'strict-transport-security': 'max-age=1; preload',
    })
  })

  it('get none if they are others', async () => {
    const request = fakeRequest('GET /livez', { headers: { origin: 'https://evil.example' } })
    await openStages({ ...options, router: says('hello'), allowedOrigins })(request)
    expect(request.added).not.toHaveProperty('access-control-allow-origin')
  })
})

function auditing() {
  const events: object[] = []
  const process = (event: { json(): string }): undefined => void events.push(JSON.parse(event.json()) as object)
  const policy = parsePolicy({ kind: 'Policy', apiVersion: 'audit.k8s.io/v1', rules: [{ level: 'Metadata' }] })
  const backends = [{ name: 'test', process, close: () => Promise.resolve() }]
  const auditor = new Auditor({
    policy,
    backends,
    clock: systemClock,
    measures: new AuditMeasures(),
    bodyText: () => undefined,
  })
  return { events, audit: { auditor, onRejected: () => {} } }
}

describe('the audit log has one event of a request that is refused', () => {
  const enter: StageOptions['console'] = () => () => (request) => {
    throw new ApiError('Unauthorized', `no session for ${request.path}`)
  }
  const entrance: StageOptions['console'] = (audited) => () => (request) =>
    audited(request, () => Promise.reject(new ApiError('Forbidden', 'another site')))

  it.each([
    ['for its path', 'GET /api/v1/../secrets', 400, {}],
    ['for its time limit', 'GET /x?timeout=soon', 400, {}],
    ['by the console', 'GET /x', 401, { console: enter }],
    ['at the entrance of the console', 'POST /x', 403, { console: entrance }],
    ['for its token', 'GET /x', 401, { token: 'guessed' }],
  ])(
    '%s',
    async (_title, line, code, {
      token = 'root-token',
      ...more
    }: { token?: string; console?: StageOptions['console'] }) => {
      const { audit, events } = auditing()
      const response = await openStages({ ...options, router: says('hello'), ...more, audit })(
        fakeRequest(line, as(token)),
      )
      expect(response.status).toBe(code)
      expect(events).toMatchObject([{ stage: 'ResponseStarted', user: {}, responseStatus: { code } }])
    },
  )

  it('by its authorization', async () => {
    const { audit, events } = auditing()
    const over: (() => void)[] = []
    const { responder } = fakeRequest('GET /x')
    const request = fakeRequest('GET /x', {
      responder: { ...responder, whenOver: (listener) => void over.push(listener) },
    })
    expect((await openStages({ ...options, router: says('hello'), audit })(request)).status).toBe(403)
    for (const listener of over) listener()
    expect(events).toMatchObject([
      { stage: 'RequestReceived' },
      { stage: 'ResponseComplete', responseStatus: { code: 403 } },
    ])
  })
})

describe('acting for others', () => {
  const acting = async (headers: HttpRequest['headers'], token = 'root-token') => {
    const over: (() => void)[] = []
    const responder = {
      ...fakeRequest('GET /x').responder,
      whenOver: (listener: () => void) => void over.push(listener),
    }
    const request = fakeRequest('GET /x', { ...as(token), headers, responder })
    const { audit, events } = auditing()
    const seen: { readonly headers: HttpRequest['headers']; readonly user: User }[] = []
    const handler: CallerHandler = (inner, { user }) => {
      seen.push({ headers: inner.headers, user })
      return plainText(200, '')
    }
    const allow = { authorize: () => ({ kind: 'allow' }) as const }
    const more = token === 'root-token' ? { authorizer: allow } : {}
    const response = await openStages({ ...options, router: handler, ...more, audit })(request)
    for (const listener of over) listener()
    return { response, seen: seen[0], audited: events.at(-1) }
  }

  it('makes it the request of the other, and keeps who it was (P-085, P-088, P-089)', async () => {
    const { seen, audited } = await acting({
      'impersonate-user': 'jane',
      'impersonate-group': ['a, b', 'c'],
      'impersonate-extra-example.com%2fx': 'y',
    })
    expect(seen?.user).toEqual({
      name: 'jane',
      uid: undefined,
      groups: ['a, b', 'c', 'system:authenticated'],
      extra: { 'example.com/x': ['y'] },
    })
    expect(audited).toMatchObject({
      user: { username: 'root' },
      impersonatedUser: { username: 'jane' },
      authenticationMetadata: { impersonationConstraint: 'impersonate:user-info' },
    })
    expect(seen?.headers['impersonate-user']).toBeUndefined()
  })

  it('needs a name (P-085)', async () => {
    const { response } = await acting({ 'impersonate-group': 'a' })
    expect(response.status).toBe(400)
    expect(messageOf(response)).toBe(
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"a"}, Extra:map[string][]string(nil)} without impersonating a user name',
    )
    expect((await acting({ 'impersonate-user': '' })).seen?.user.name).toBe('root')
  })

  it('takes the right to (P-087)', async () => {
    const { response } = await acting({ 'impersonate-user': 'jane' }, 'bob-token')
    expect(messageOf(response)).toBe('forbidden: User "bob" cannot impersonate-on:user-info:get path "/x"')
  })
})
