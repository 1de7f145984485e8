// Where others' words may lead the server, and what they may see and change: rows of the hardening list about webhooks.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { egressPolicy } from '../../src/outgoing/egress-policy.ts'
import { OutgoingCaller } from '../../src/outgoing/call.ts'
import { type OpenServer, openServer, type ServerAnswer } from '../rigs/running-server.ts'
import {
  ALLOW,
  answerWith,
  type Behaviour,
  openWebhookServer,
  patchWith,
  type WebhookServer,
} from '../fakes/webhook-server.ts'

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations'
const MAPS = '/api/v1/namespaces/default/configmaps'

let server: OpenServer
let hooks: WebhookServer
/** What an attacker would want to reach. */
let inner: Server
let reached = 0
let innerPort = 0

beforeAll(async () => {
  hooks = await openWebhookServer()
  inner = createServer((_request, response) => {
    reached++
    response.end('{}')
  })
  await new Promise<void>((resolve) => inner.listen(0, '127.0.0.1', resolve))
  innerPort = (inner.address() as AddressInfo).port
  server = await openServer()
})
afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
  await hooks?.[Symbol.asyncDispose]()
  inner?.close()
})

/** Asks with a webhook in force that is asked about config maps called `name`, and gives the answer. */
async function createWith(name: string, hook: object): Promise<ServerAnswer> {
  const selector = { matchLabels: { of: name } }
  await server.must(CONFIGURATIONS, {
    method: 'POST',
    body: {
      kind: 'MutatingWebhookConfiguration',
      apiVersion: 'admissionregistration.k8s.io/v1',
      metadata: { name },
      webhooks: [
        {
          name: `${name}.example.com`,
          rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
          objectSelector: selector,
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          timeoutSeconds: 2,
          ...hook,
        },
      ],
    },
  })
  const body = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, labels: { of: name } } }
  return vi.waitFor(
    async () => {
      const answer = await server.request(`${MAPS}?dryRun=All`, { method: 'POST', body })
      if (answer.status === 201) expect(hooks.calls.map(({ path }) => path)).toContain(`/${name}`)
      return answer
    },
    { interval: 1, timeout: 40_000 },
  )
}

function at(path: string, behaviour: Behaviour): object {
  hooks.on(path, behaviour)
  return { clientConfig: { url: `${hooks.url}${path}`, caBundle: hooks.caBundle } }
}

describe('CVE-2020-8561: redirects of webhooks', () => {
  it.each([301, 302, 303, 307, 308])('%i is not followed, and fails the call (D25)', async (status) => {
    const name = `redirect-${status}`
    const location = `http://127.0.0.1:${innerPort}/secrets`
    const answer = await createWith(name, at(`/${name}`, answerWith(status, '', { location })))
    expect(answer.status).toBe(500)
    expect(answer.headers['location']).toBeUndefined()
    expect(reached).toBe(0)
  })
})

describe('CVE-2020-8562: names that lead elsewhere at the second look', () => {
  it('are looked up once, and the address that was checked is connected to (D25)', async () => {
    const looked: string[] = []
    const addresses = ['127.0.0.1', '127.0.0.2']
    const caller = new OutgoingCaller({
      egress: egressPolicy({ loopback: false, allow: ['127.0.0.1/32'] }),
      lookup: (host) => {
        looked.push(host)
        return Promise.resolve([{ address: addresses[looked.length - 1] ?? '127.0.0.2', family: 4 }])
      },
    })
    const call = { body: '{}', userAgent: 't', timeoutMs: 2000, tellTimeout: false, maxAnswerBytes: 1000 }
    const before = reached
    await caller.call({ url: `http://inner.example:${innerPort}/` }, call, AbortSignal.timeout(30_000))
    expect(looked).toEqual(['inner.example'])
    expect(reached).toBe(before + 1)
    caller[Symbol.dispose]()
  })
})

describe('CVE-2022-3294: addresses that nobody is led to (D25)', () => {
  const closed: readonly [string, string][] = [
    ['link-local, where clouds keep credentials', 'https://169.254.169.254/latest/meta-data'],
    ['link-local in IPv6', 'https://[fe80::1]/'],
    ['link-local in disguise', 'https://[::ffff:169.254.169.254]/'],
    ['link-local as a number', 'https://2852039166/'],
    ['where AWS keeps credentials', 'https://[fd00:ec2::254]/'],
    ['where Google Cloud does', 'https://[fd20:ce::254]/'],
    ['where Alibaba Cloud does', 'https://100.100.100.200/'],
    ['where Oracle Cloud does', 'https://192.0.0.192/'],
    ['where Azure does', 'https://168.63.129.16/'],
    ['where Azure does, in octal', 'https://0250.077.0201.020/'],
    ['where Azure does, in hexadecimal', 'https://0xA83F8110/'],
    ['where Azure does, in three parts and with a dot', 'https://168.63.33040./'],
    ['where Azure does, in wide digits', 'https://１６８.63.129.16/'],
    ['a NAT64 prefix of the network', 'https://[64:ff9b:1::a9fe:a9fe]/'],
    ['an IPv4-translated address', 'https://[::ffff:0:a9fe:a9fe]/'],
    ['Teredo', 'https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/'],
    ['ISATAP to a link-local address', 'https://[2001:db8::5efe:a9fe:a9fe]/'],
    ['no address', 'https://0.0.0.0/'],
    ['many', 'https://224.0.0.1/'],
  ]
  it.each(closed)('%s', async (_name, url) => {
    const name = `egress-${closed.findIndex(([, each]) => each === url)}`
    const answer = await createWith(name, { clientConfig: { url } })
    expect(answer.status).toBe(500)
    expect(answer.json()['message']).toContain('address not allowed')
  })

  it('this machine, where the server is open to others', async () => {
    const open = await openServer(['--bind-address', '0.0.0.0'])
    try {
      hooks.on('/local', ALLOW)
      await open.must(CONFIGURATIONS, {
        method: 'POST',
        body: {
          kind: 'MutatingWebhookConfiguration',
          apiVersion: 'admissionregistration.k8s.io/v1',
          metadata: { name: 'local' },
          webhooks: [
            {
              name: 'local.example.com',
              clientConfig: { url: `${hooks.url}/local`, caBundle: hooks.caBundle },
              rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
              sideEffects: 'None',
              admissionReviewVersions: ['v1'],
            },
          ],
        },
      })
      const body = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'x' } }
      const message = async (): Promise<unknown> =>
        (await open.request(`${MAPS}?dryRun=All`, { method: 'POST', body })).json()['message']
      await expect.poll(message).toContain('address not allowed')
      expect(hooks.calls.filter(({ path }) => path === '/local')).toEqual([])
    } finally {
      await open[Symbol.asyncDispose]()
    }
  })
})

describe('CIS 1.2.4 and 1.2.5: who is called is checked', () => {
  it('a webhook whose certificate nobody vouches for is not told anything', async () => {
    hooks.on('/unknown', ALLOW)
    const answer = await createWith('unknown', { clientConfig: { url: `${hooks.url}/unknown` } })
    expect(answer.status).toBe(500)
    expect(answer.json()['message']).toContain('x509: certificate signed by unknown authority')
    expect(hooks.calls.filter(({ path }) => path === '/unknown')).toEqual([])
  })
})

describe('CVE-2021-25735: the object that was', () => {
  it('is the stored one, whatever webhooks make of the new one', async () => {
    const name = 'aliased'
    const patch = patchWith([
      { op: 'replace', path: '/data/a', value: 'patched' },
      { op: 'add', path: '/metadata/labels/more', value: 'x' },
    ])
    await server.must(MAPS, {
      method: 'POST',
      body: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, labels: { of: name } }, data: { a: '1' } },
    })
    const stored = await server.must(`${MAPS}/${name}`)
    await createWith('aliased', { ...at('/aliased', ALLOW) })
    hooks.on('/aliased', patch)
    hooks.calls.length = 0
    for (const value of ['2', '3']) {
      await server.must(`${MAPS}/${name}?dryRun=All`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/merge-patch+json' },
        body: { data: { a: value } },
      })
    }
    for (const { review } of hooks.calls) expect(review.request.oldObject).toEqual(stored)
    expect(hooks.calls.length).toBeGreaterThan(1)
    expect(await server.must(`${MAPS}/${name}`)).toEqual(stored)
  })
})

describe('CVE-2016-1905: admission is not walked around', () => {
  it('every way to write is asked about once (W-489)', async () => {
    const name = 'ways'
    await createWith(name, { ...at(`/${name}`, ALLOW) })
    hooks.calls.length = 0
    const labels = { of: name }
    const body = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, labels } }
    const ways: readonly [string, string, object | undefined, string][] = [
      ['POST', MAPS, body, 'application/json'],
      ['PUT', `${MAPS}/${name}`, { ...body, data: { a: '1' } }, 'application/json'],
      ['PATCH', `${MAPS}/${name}`, { data: { a: '2' } }, 'application/merge-patch+json'],
      ['PATCH', `${MAPS}/${name}`, { data: { a: '3' } }, 'application/strategic-merge-patch+json'],
      ['PATCH', `${MAPS}/${name}`, [{ op: 'add', path: '/data/a', value: '4' }], 'application/json-patch+json'],
      [
        'PATCH',
        `${MAPS}/${name}?fieldManager=a&force=true`,
        { ...body, data: { a: '5' } },
        'application/apply-patch+yaml',
      ],
      ['DELETE', `${MAPS}/${name}`, undefined, 'application/json'],
      ['PATCH', `${MAPS}/${name}?fieldManager=a`, body, 'application/apply-patch+yaml'],
      ['DELETE', `${MAPS}?labelSelector=of=${name}`, undefined, 'application/json'],
      ['PUT', `${MAPS}/${name}`, body, 'application/json'],
    ]
    for (const [i, [method, path, sent, type]] of ways.entries()) {
      const headers = { 'content-type': type }
      await server.must(path, { method, headers, ...(sent === undefined ? {} : { body: sent }) })
      expect([method, type, hooks.calls.length]).toEqual([method, type, i + 1])
    }
  })
})
