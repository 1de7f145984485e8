import { beforeEach, describe, expect, it } from 'vitest'
import { ApiError } from '../../../src/api/status.ts'
import type { AuditBackend } from '../../../src/audit/backends.ts'
import { Auditor } from '../../../src/audit/auditor.ts'
import type { BodyText } from '../../../src/audit/redact.ts'
import { CallerTexts, legacyLine, type AuditEvent } from '../../../src/audit/event.ts'
import { AuditMeasures } from '../../../src/audit/measures.ts'
import { parsePolicy } from '../../../src/audit/policy.ts'
import { audit, auditRefusal } from '../../../src/http/filters/audit.ts'
import {
  type Caller,
  type Handler,
  type HttpRequest,
  type HttpResponse,
  type CallerHandler,
  NOT_AUDITED,
} from '../../../src/http/http.ts'
import { bytesOf } from '../../../src/http/responses.ts'
import { loadBuiltInSchema } from '../../../src/schema/schema.ts'
import { auditedText } from '../../../src/threads/audited-body.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'
import { fakeRequest } from '../http/fake-request.ts'

const bob = { name: 'bob', uid: '7', groups: ['dev', 'system:authenticated'], extra: { scopes: ['a'] } }
let events: AuditEvent[]
let clock: ManualClock
let measures: AuditMeasures

beforeEach(() => {
  events = []
  clock = new ManualClock(Date.parse('2030-01-02T03:04:05.678Z'))
  measures = new AuditMeasures()
  bodyText = (body) => auditedText(body, schema)
})

const keep: AuditBackend = {
  name: 'test',
  process: (event) => void events.push(event),
  close: () => Promise.resolve(),
}

const schema = loadBuiltInSchema()
let bodyText: BodyText

function options(level: string, more: { policy?: object; backend?: AuditBackend } = {}) {
  const rules = [{ level }]
  const policy = parsePolicy({ kind: 'Policy', apiVersion: 'audit.k8s.io/v1', rules, ...more.policy })
  return {
    auditor: new Auditor({ policy, backends: [more.backend ?? keep], clock, measures, bodyText }),
    onRejected: () => void measures.rejected.of().value++,
  }
}

const BOB = { user: bob, audit: NOT_AUDITED }
const SENT = Buffer.from('{"kind":"Secret","metadata":{"name":"s"},"data":{"k":"djI="}}')

/** Through the filter and to the end of the answer. */
async function send(
  level: string,
  line: string,
  more: Partial<HttpRequest> & { answer?: CallerHandler; policy?: object; sent?: Buffer; caller?: Caller } = {},
) {
  const {
    answer = () => bytesOf('application/json', Buffer.from('{}')),
    policy = {},
    sent = SENT,
    caller = BOB,
    ...changes
  } = more
  const over: (() => void)[] = []
  const plain = fakeRequest(line)
  const request = fakeRequest(line, {
    headers: { 'user-agent': 'tester', 'content-type': 'application/json' },
    responder: { ...plain.responder, whenOver: (listener) => void over.push(listener) },
    body: {
      length: 0,
      onRead: undefined,
      putBack: () => {},
      read() {
        this.onRead?.(sent)
        return Promise.resolve(sent)
      },
    },
    ...changes,
  })
  let response: HttpResponse | undefined
  let error: unknown
  try {
    response = await audit(options(level, { policy }))(answer)(request, caller)
    if (response.body.kind === 'pieces') for await (const _ of response.body.pieces);
  } catch (thrown) {
    error = thrown
  }
  for (const listener of over) listener()
  return { response, error, lines: events.map((event) => JSON.parse(event.json()) as Record<string, unknown>) }
}

const LINE = 'POST /api/v1/namespaces/n/configmaps?dryRun=All'
const reads: Handler = async (request) => {
  await request.body.read()
  return bytesOf('application/json', Buffer.from('{"kind":"ConfigMap","metadata":{"name":"c","managedFields":[1]}}'))
}

describe('the events of a request', () => {
  it('are two, and say who did what, when, and what came of it (P-184, P-185)', async () => {
    const { lines } = await send('Metadata', LINE, {
      answer: (request, caller) => {
        caller.audit.annotate('authorization.k8s.io/decision', 'allow')
        clock.advance(1.5)
        return reads(request)
      },
    })
    const both = {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'Metadata',
      auditID: 'an-audit-id',
      requestURI: '/api/v1/namespaces/n/configmaps?dryRun=All',
      verb: 'create',
      user: { username: 'bob', uid: '7', groups: ['dev', 'system:authenticated'], extra: { scopes: ['a'] } },
      sourceIPs: ['127.0.0.1'],
      userAgent: 'tester',
      objectRef: { resource: 'configmaps', namespace: 'n', apiVersion: 'v1' },
      requestReceivedTimestamp: '2030-01-02T03:04:05.678000Z',
    }
    expect(lines).toEqual([
      { ...both, stage: 'RequestReceived', stageTimestamp: '2030-01-02T03:04:05.678000Z' },
      {
        ...both,
        stage: 'ResponseComplete',
        stageTimestamp: '2030-01-02T03:04:05.679500Z',
        responseStatus: { metadata: {}, code: 200 },
        annotations: { 'authorization.k8s.io/decision': 'allow' },
      },
    ])
  })

  it.each([
    ['None', []],
    ['Metadata', [undefined, undefined]],
    ['Request', [expect.anything(), undefined]],
    ['RequestResponse', [expect.anything(), expect.anything()]],
  ])('at %s have the bodies that belong there (P-183)', async (level, expected) => {
    const { lines } = await send(level, LINE, { answer: reads })
    const last = lines.at(-1)
    expect(last === undefined ? [] : [last['requestObject'], last['responseObject']]).toEqual(expected)
  })

  it('leave out stages, and the owners of fields (P-181)', async () => {
    const policy = { omitStages: ['RequestReceived'], omitManagedFields: true }
    const { lines } = await send('RequestResponse', LINE, { answer: reads, policy })
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({ responseObject: { kind: 'ConfigMap', metadata: { name: 'c' } } })
    expect(JSON.stringify(lines)).not.toContain('managedFields')
  })

  it('of a stream say when it began (P-184)', async () => {
    const stream: HttpResponse = { status: 200, headers: {}, body: { kind: 'stream', run: () => Promise.resolve() } }
    const { lines } = await send('RequestResponse', 'GET /api/v1/pods?watch', { answer: () => stream })
    expect(lines.map(({ stage }) => stage)).toEqual(['RequestReceived', 'ResponseStarted', 'ResponseComplete'])
  })

  it('of a list keep what was sent in pieces', async () => {
    const pieces = [Buffer.from('{"kind":'), Buffer.from('"PodList"}')]
    const list: HttpResponse = { status: 200, headers: {}, body: { kind: 'pieces', pieces } }
    const { lines } = await send('RequestResponse', 'GET /api/v1/pods', { answer: () => list })
    expect(lines.at(-1)).toMatchObject({ responseObject: { kind: 'PodList' } })
  })

  it.each([
    ['an answer', reads, { requestObject: { kind: 'Secret' }, responseObject: { kind: 'ConfigMap' } }],
    [
      'a refusal',
      async (request: HttpRequest) => {
        await reads(request)
        throw new ApiError('NotFound', 'not found')
      },
      { requestObject: { kind: 'Secret' }, responseObject: { kind: 'Status' } },
    ],
  ])('keep bodies that another thread writes, and %s waits for it', async (_name, answer, bodies) => {
    let isWritten = false
    bodyText = async (body) => {
      await new Promise((resolve) => setImmediate(resolve))
      isWritten = true
      return auditedText(body, schema)
    }
    const { lines } = await send('RequestResponse', LINE, { answer })
    expect(isWritten).toBe(true)
    expect(lines.at(-1)).toMatchObject(bodies)
  })

  it('of a client that has gone wait for the bodies, and the end waits for the events', async () => {
    const text = Promise.withResolvers<string>()
    bodyText = () => text.promise
    const { auditor } = options('Request')
    const record = auditor.begin(fakeRequest(LINE), bob)!
    record.keepBody('requestObject', SENT, 'application/json')
    void record.reach('ResponseComplete')
    let isOver = false
    const over = auditor.flushed().then(() => (isOver = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect([isOver, events]).toEqual([false, []])
    text.resolve('{"kind":"Late"}')
    await over
    expect(JSON.parse(events[0]!.json())).toMatchObject({ requestObject: { kind: 'Late' } })
  })

  it('of a refusal say why', async () => {
    const { lines, error } = await send('Metadata', LINE, {
      answer: () => {
        throw new ApiError('NotFound', 'pods "p" not found')
      },
    })
    expect(error).toBeInstanceOf(ApiError)
    const responseStatus = { status: 'Failure', message: 'pods "p" not found', reason: 'NotFound', code: 404 }
    expect(lines.at(-1)).toMatchObject({ stage: 'ResponseComplete', responseStatus })
  })

  it('of a fault of ours are of the stage Panic (P-184)', async () => {
    const { lines } = await send('Metadata', LINE, {
      answer: () => {
        throw new TypeError('x is not a function')
      },
    })
    expect(lines.at(-1)).toMatchObject({ stage: 'Panic', responseStatus: { code: 500 } })
    expect(JSON.stringify(lines)).not.toContain('not a function')
  })

  it('of somebody who acts as another name both (P-089)', async () => {
    const { lines } = await send('Metadata', LINE, {
      answer(_request, caller) {
        caller.audit.actFor({ name: 'eve', uid: undefined, groups: [], extra: {} }, undefined)
        return bytesOf('application/json', Buffer.of())
      },
    })
    expect(lines.map(({ impersonatedUser }) => impersonatedUser)).toEqual([undefined, { username: 'eve' }])
    expect(lines.at(-1)).toMatchObject({ user: { username: 'bob' } })
  })

  it('of somebody who may do so by a narrow right name that right (P-089)', async () => {
    const { lines } = await send('Metadata', LINE, {
      answer(_request, caller) {
        caller.audit.actFor({ name: 'eve', uid: undefined, groups: [], extra: {} }, 'impersonate:user-info')
        return bytesOf('application/json', Buffer.of())
      },
    })
    expect(lines.map(({ authenticationMetadata }) => authenticationMetadata)).toEqual([
      undefined,
      { impersonationConstraint: 'impersonate:user-info' },
    ])
  })

  it('tell what the authenticator has to say, once it is known that there are any', async () => {
    const caller = { ...BOB, annotations: { 'authentication.k8s.io/stale-token': 'yes' } }
    const { lines } = await send('Metadata', LINE, { caller })
    expect(lines[0]).not.toHaveProperty('annotations')
    expect(lines.at(-1)).toMatchObject({ annotations: caller.annotations })
  })

  it('tell the callers of one connection apart', () => {
    const callers = new CallerTexts()
    const { remote } = fakeRequest(LINE)
    for (const agent of ['one', 'two', 'one']) {
      for (const user of [bob, { ...bob, name: 'eve' }, undefined]) {
        for (const forwarded of ['1.1.1.1', '2.2.2.2']) {
          const headers = { 'user-agent': agent, 'x-forwarded-for': forwarded }
          const { who, source } = callers.of(fakeRequest(LINE, { remote, headers }), user)
          expect(JSON.parse(who)).toEqual(user === undefined ? {} : expect.objectContaining({ username: user.name }))
          expect(source).toBe(`,"sourceIPs":["${forwarded}","127.0.0.1"],"userAgent":"${agent}"`)
        }
      }
    }
  })

  it('are JSON, whatever is in the texts', async () => {
    const odd = 'a"b\\c\n\u2028ü\ud800'
    const { lines } = await send('Metadata', 'GET /api/v1/namespaces/n/configmaps/m', {
      auditId: odd,
      target: `/x?${odd}`,
      answer(_request, caller) {
        caller.audit.annotate(odd, odd)
        return bytesOf('application/json', Buffer.of())
      },
    })
    expect(lines.at(-1)).toMatchObject({ auditID: odd, requestURI: `/x?${odd}`, annotations: { [odd]: odd } })
  })

  it('name those whom proxies name, and cut what is too long (P-186)', async () => {
    const headers = { 'x-forwarded-for': '1.2.3.4, nonsense', 'x-real-ip': '5.6.7.8', 'user-agent': 'x'.repeat(2000) }
    const { lines } = await send('Metadata', 'GET /version', { headers })
    expect(lines[0]).toMatchObject({ sourceIPs: ['1.2.3.4', '5.6.7.8', '127.0.0.1'], verb: 'get' })
    expect(String(lines[0]?.['userAgent'])).toMatch(/^x{1024}\.\.\.TRUNCATED$/)
    expect(lines[0]).not.toHaveProperty('objectRef')
  })

  it('of a slow one say how long it took (P-187)', async () => {
    const { lines } = await send('Metadata', LINE, {
      answer: (request) => {
        clock.advance(1500)
        return reads(request)
      },
    })
    expect(lines.at(-1)).toMatchObject({ annotations: { 'apiserver.latency.k8s.io/total': '1.500000000s' } })
  })
})

it('a body that is too deep to be written is left out, and the event is kept', async () => {
  const deep = Buffer.from(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)
  const { lines } = await send('RequestResponse', 'GET /api/v1/pods', {
    answer: () => bytesOf('application/json', deep),
  })
  expect(lines.map(({ stage }) => stage)).toEqual(['RequestReceived', 'ResponseComplete'])
  expect(lines.at(-1)).not.toHaveProperty('responseObject')
})

describe('what is never written down (P-194)', () => {
  it.each([
    ['the contents of a secret', 'POST /api/v1/namespaces/n/secrets', '{"data":{"k":"c2VudGluZWw="}}', 'c2VudGluZWw='],
    ['plain contents', 'PUT /api/v1/namespaces/n/secrets/s', '{"stringData":{"k":"sentinel"}}', 'sentinel'],
    ['those in a list', 'GET /api/v1/secrets', '{"items":[{"data":{"k":"sentinel"}}]}', 'sentinel'],
    ['those in a table', 'GET /api/v1/secrets', '{"rows":[{"object":{"data":{"k":"sentinel"}}}]}', 'sentinel'],
    ['those beside items', 'POST /api/v1/namespaces/n/secrets', '{"items":[],"data":{"k":"sentinel"}}', 'sentinel'],
    ['those beside rows', 'POST /api/v1/namespaces/n/secrets', '{"rows":[],"data":{"k":"sentinel"}}', 'sentinel'],
    ['those in an array', 'POST /api/v1/namespaces/n/secrets', '[{"data":{"k":"sentinel"}}]', 'sentinel'],
    ['a misspelt member', 'POST /api/v1/namespaces/n/secrets', '{"stringdata":{"k":"sentinel"}}', 'sentinel'],
    [
      'a secret at the path of another kind',
      'POST /api/v1/namespaces/n/configmaps',
      '{"apiVersion":"v1","kind":"Secret","data":{"k":"sentinel"}}',
      'sentinel',
    ],
    [
      'what was applied last',
      'GET /api/v1/namespaces/n/secrets/s',
      '{"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"sentinel"}}}',
      'sentinel',
    ],
    ['a patch of a secret', 'PATCH /api/v1/namespaces/n/secrets/s', '[{"op":"add","value":"sentinel"}]', 'sentinel'],
    [
      'a token that was asked for',
      'POST /api/v1/namespaces/n/serviceaccounts/a/token',
      '{"status":{"token":"sentinel"}}',
      'sentinel',
    ],
    [
      'a token under review',
      'POST /apis/authentication.k8s.io/v1/tokenreviews',
      '{"spec":{"token":"sentinel"}}',
      'sentinel',
    ],
    [
      'a token beside items',
      'POST /apis/authentication.k8s.io/v1/tokenreviews',
      '{"items":[],"spec":{"token":"sentinel"}}',
      'sentinel',
    ],
  ])('%s', async (_name, line, body, sentinel) => {
    const bytes = Buffer.from(body)
    const { lines } = await send('RequestResponse', line, {
      sent: bytes,
      answer: async (request) => {
        await request.body.read()
        const isPatch = line.startsWith('PATCH')
        return bytesOf('application/json', isPatch ? Buffer.from('{}') : bytes)
      },
    })
    expect(lines.length).toBeGreaterThan(0)
    expect(JSON.stringify(lines)).not.toContain(sentinel)
  })
})

describe('around it', () => {
  it('a refused credential is one event, of nobody (P-189)', () => {
    const error = new ApiError('Unauthorized', 'Unauthorized')
    auditRefusal(options('Metadata'), fakeRequest('GET /api/v1/pods'), error)
    expect(events.map((event) => JSON.parse(event.json()))).toEqual([
      expect.objectContaining({
        stage: 'ResponseStarted',
        user: {},
        responseStatus: { metadata: {}, status: 'Failure', reason: 'Unauthorized', message: 'Unauthorized', code: 401 },
      }),
    ])
  })

  it('a request that cannot be audited is refused where the operator wants it so (P-190, P-193)', async () => {
    const broken = { ...keep, process: () => Promise.reject(new Error('disk full')) }
    const filter = audit(options('Metadata', { backend: broken }))
    const request = fakeRequest('GET /version')
    await expect(filter(() => bytesOf('', Buffer.of()))(request, BOB)).rejects.toThrow('could not be audited')
    expect(measures.rejected.of().value).toBe(1)
  })

  it('counts events and levels (P-193)', async () => {
    await send('Metadata', LINE)
    expect(measures.events.of().value).toBe(2)
    expect(measures.levels.of('Metadata').value).toBe(1)
  })

  it('has an old form of a line (P-190)', async () => {
    await send('Metadata', LINE)
    expect(legacyLine(events[1]!)).toBe(
      '2030-01-02T03:04:05.678000Z AUDIT: id="an-audit-id" stage="ResponseComplete" ip="127.0.0.1" method="create" ' +
        'user="bob" groups="\\"dev\\",\\"system:authenticated\\"" as="<self>" asgroups="<lookup>" user-agent="tester" ' +
        'namespace="n" uri="/api/v1/namespaces/n/configmaps?dryRun=All" response="200"',
    )
  })
})
