// Logs, streams and the proxy, with a kubelet and a pod over real sockets.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import path from 'node:path'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import tls from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeAuthority, makeServing, makeSigned } from '../../src/pki/certificate-maker.ts'
import { type FakeKubelet, type KubeletRequest, openFakeKubelet } from '../fakes/kubelet.ts'
import { type OpenServer, openServer, type ServerAnswer } from '../rigs/running-server.ts'

const PODS = '/api/v1/namespaces/default/pods'
/** Where other machines reach this one: the proxy goes to no loopback address. */
const OUTSIDE =
  Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === 'IPv4' && !one.internal)?.address ?? ''

const HOUR = 3_600_000
const folder = mkdtempSync(path.join(tmpdir(), 'quarterdeck-kubelet-'))
let server: OpenServer
let kubelet: FakeKubelet
const backend = createServer((request, response) => {
  asked.push(request)
  answerAsPod(request, response)
})
const asked: IncomingMessage[] = []
let backendPort = 0

function answerAsPod({ url = '', headers }: IncomingMessage, response: ServerResponse): void {
  if (url === '/within') response.writeHead(302, { location: '/other?a=b' }).end()
  else if (url === '/elsewhere') response.writeHead(302, { location: 'http://169.254.169.254/' }).end()
  else {
    response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'a=b' })
    response.end([url, headers['x-custom'] ?? ''].join(' '))
  }
}

const ANSWERS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  logs: (response) => response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'a=b' }).end('one\ntwo\n'),
  bad: (response) => response.writeHead(400).end('previous terminated container "c" in pod "bad" not found'),
  broken: (response) => response.writeHead(500).end('out of order'),
  gone: (response) => response.writeHead(404).end('whatever'),
  secret: (response) => response.writeHead(403).end('not you'),
  full: (response) => response.writeHead(503).end('busy'),
  moved: (response) => response.writeHead(302, { location: 'https://169.254.169.254/' }).end(),
}

function answerAsKubelet({ url }: KubeletRequest, response: ServerResponse): void {
  const pod = url.split('/')[3] ?? ''
  const answer = ANSWERS[pod]
  if (answer === undefined) response.end(url)
  else answer(response)
}

beforeAll(async () => {
  kubelet = await openFakeKubelet({
    answer: answerAsKubelet,
    upgrade: ({ url = '', headers }, socket) => {
      if (url.includes('/refusing/')) return socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 6\r\n\r\nnot so')
      if (url.includes('/moved/')) return socket.end('HTTP/1.1 302 Found\r\nlocation: https://169.254.169.254/\r\n\r\n')
      const lines = [
        `upgrade: ${headers.upgrade}`,
        'connection: Upgrade',
        'set-cookie: a=b',
        'x-stream-protocol-version: v4',
      ]
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\nhello;`)
      return socket.on('data', (piece: Buffer) => socket.write(`${piece.toString()}!`)).on('end', () => socket.end())
    },
  })
  backend.listen(0, OUTSIDE)
  await once(backend, 'listening')
  backendPort = (backend.address() as AddressInfo).port
  const file = (name: string, text: string): string => {
    writeFileSync(path.join(folder, name), text)
    return path.join(folder, name)
  }
  server = await openServer([
    `--kubelet-client-certificate=${file('client.crt', kubelet.client.certificate)}`,
    `--kubelet-client-key=${file('client.key', kubelet.client.key)}`,
    `--kubelet-certificate-authority=${file('ca.crt', kubelet.authority.certificate)}`,
    '--kubelet-preferred-address-types=InternalIP,Hostname',
    `--token-auth-file=${file('tokens', 'jane-token,jane,7\n')}`,
    '--disable-admission-plugins=ServiceAccount',
  ])
  const node = (name: string, ...addresses: readonly (readonly [string, string])[]): Promise<unknown> =>
    server.must('/api/v1/nodes', {
      method: 'POST',
      body: {
        metadata: { name },
        status: {
          addresses: addresses.map(([type, address]) => ({ type, address })),
          daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } },
        },
      },
    })
  await node('here', ['Hostname', 'not-this-one.invalid'], ['InternalIP', '127.0.0.1'])
  await node('bare', ['ExternalIP', '192.0.2.77'])
  await node('metadata', ['InternalIP', '169.254.169.254'])
  await node('untrusted', ['InternalIP', OUTSIDE])
  await node('odd', ['InternalIP', 'a/b@c'])
  const places = { bare: 'bare', far: 'metadata', untrusted: 'untrusted', odd: 'odd' } as Readonly<
    Record<string, string>
  >
  for (const name of [...Object.keys(ANSWERS), ...Object.keys(places), 'web', 'refusing']) {
    const containers = [{ name: 'c', image: 'i', ports: [{ containerPort: backendPort }] }]
    const body = { metadata: { name }, spec: { containers, nodeName: places[name] ?? 'here' } }
    await server.must(PODS, { method: 'POST', body })
  }
  await setAddress('web', OUTSIDE)
  await setAddress('logs', '127.0.0.1')
})

async function setAddress(name: string, ip: string): Promise<void> {
  const body = { status: { podIP: ip, podIPs: [{ ip }] } }
  const headers = { 'content-type': 'application/merge-patch+json' }
  await server.must(`${PODS}/${name}/status`, { method: 'PATCH', body, headers })
}

afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
  await kubelet?.[Symbol.asyncDispose]()
  backend.closeAllConnections()
  backend.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('logs', () => {
  it('come from the kubelet, which is asked with the certificate for it (P-400, P-401, P-405)', async () => {
    const query = 'follow=true&previous=1&timestamps=true&sinceSeconds=5&tailLines=3&limitBytes=100'
    const answer = await server.request(`${PODS}/logs/log?${query}`, { headers: { cookie: 'secret', 'x-custom': 'a' } })
    expect([answer.status, answer.body]).toEqual([200, 'one\ntwo\n'])
    expect(answer.headers).toMatchObject({ 'content-type': 'text/plain', 'x-content-type-options': 'nosniff' })
    expect(answer.headers['set-cookie']).toBeUndefined()
    const { url, user, headers } = kubelet.seen.at(-1)!
    const options = 'follow=true&limitBytes=100&previous=true&sinceSeconds=5&tailLines=3&timestamps=true'
    expect([url, user]).toEqual([`/containerLogs/default/logs/c?${options}`, 'kube-apiserver'])
    expect(Object.keys(headers).sort()).toEqual(['connection', 'host'])
    await server.request(`${PODS}/logs/log?sinceTime=2030-01-02T03:04:05.123%2B01:00`)
    expect(kubelet.seen.at(-1)!.url).toBe('/containerLogs/default/logs/c?sinceTime=2030-01-02T02%3A04%3A05Z')
  })

  const told: readonly (readonly [pod: string, status: number, message: string])[] = [
    ['bad', 400, 'previous terminated container "c" in pod "bad" not found'],
    ['broken', 500, 'Internal error occurred: out of order'],
    ['gone', 404, 'the server could not find the requested resource ( pods/log gone)'],
    ['secret', 403, 'not you ( pods/log secret)'],
    ['full', 503, 'the server is currently unable to handle the request ( pods/log full)'],
    ['moved', 500, 'containerLogs/default/moved/c": redirects forbidden'],
    ['bare', 500, 'no preferred addresses found; known addresses: [{ExternalIP 192.0.2.77}]'],
    ['far', 500, 'dial tcp 169.254.169.254:'],
    ['untrusted', 500, `x509: certificate is valid for 127.0.0.1, not ${OUTSIDE}`],
    ['odd', 400, 'invalid host "a/b@c"'],
  ]
  it.each(told)('of %s are told as %i (P-402, P-409)', async (pod, status, message) => {
    const answer = await server.request(`${PODS}/${pod}/log`)
    expect([answer.status, answer.json()['message']]).toEqual([status, expect.stringContaining(message)])
  })

  it('are read without looking at the certificate where the client says so (P-409)', async () => {
    const answer = await server.request(`${PODS}/untrusted/log?insecureSkipTLSVerifyBackend=true`)
    expect([answer.status, answer.body]).toEqual([200, '/containerLogs/default/untrusted/c'])
    const exec = await upgrade(`${PODS}/untrusted/exec?command=ls&insecureSkipTLSVerifyBackend=true`)
    expect(await exec.until('certificate is valid')).toMatch(/^HTTP\/1\.1 500 /)
  })

  it('of a time that does not exist are refused', async () => {
    expect((await server.request(`${PODS}/logs/log?sinceTime=2030-13-41T03:04:05Z`)).status).toBe(400)
  })
})

interface Upgraded {
  readonly until: (part: string) => Promise<string>
  readonly write: (text: string) => void
  readonly closed: Promise<unknown>
  end(): void
}

async function upgrade(target: string, { protocol = 'SPDY/3.1', token = server.adminToken } = {}): Promise<Upgraded> {
  const { hostname, port } = new URL(server.url)
  const socket = tls.connect({ host: hostname, port: Number(port), ca: server.authority, ALPNProtocols: ['http/1.1'] })
  await once(socket, 'secureConnect')
  let text = ''
  socket.on('data', (piece: Buffer) => (text += piece.toString()))
  socket.on('error', () => {})
  const headers = [
    `Host: ${hostname}:${port}`,
    'Connection: Upgrade',
    `Upgrade: ${protocol}`,
    ...(protocol === 'websocket'
      ? [
          `Sec-WebSocket-Protocol: base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}, v5.channel.k8s.io`,
          'Sec-WebSocket-Version: 13',
          'Sec-WebSocket-Key: a2V5',
        ]
      : [`Authorization: Bearer ${token}`, 'X-Stream-Protocol-Version: v4.channel.k8s.io']),
    'Cookie: secret',
    'X-Remote-User: forged',
  ]
  socket.write(`GET ${target} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`)
  return {
    until: async (part) => {
      await expect.poll(() => text).toContain(part)
      return text
    },
    write: (piece) => void socket.write(piece),
    closed: once(socket, 'close'),
    end: () => void socket.end(),
  }
}

describe('streams', () => {
  it.each(['websocket', 'SPDY/3.1'])('are tunnelled as %s (P-416, P-417, P-419)', async (protocol) => {
    const query = 'command=sh&command=-c&command=a%26b&stdin=true&stdout=1&stderr=false&tty=true&container=c'
    const stream = await upgrade(`${PODS}/web/exec?${query}`, { protocol })
    const head = await stream.until('hello;')
    expect(head).toMatch(/^HTTP\/1\.1 101 /)
    expect(head).toContain('x-stream-protocol-version: v4')
    expect(head).not.toContain('set-cookie')
    stream.write('ping')
    await stream.until('hello;ping!')
    const { url, headers, user } = kubelet.seen.at(-1)!
    expect(url).toBe('/exec/default/web/c?command=sh&command=-c&command=a%26b&input=1&output=1&tty=1')
    expect(user).toBe('kube-apiserver')
    expect(headers).toMatchObject({ upgrade: protocol, connection: 'Upgrade', host: `127.0.0.1:${kubelet.port}` })
    expect(headers['sec-websocket-protocol']).toBe(protocol === 'websocket' ? 'v5.channel.k8s.io' : undefined)
    expect(JSON.stringify(headers)).not.toMatch(/secret|forged/)
    expect(JSON.stringify(headers)).not.toContain(server.adminToken)
    stream.end()
    await stream.closed
  })

  it('to ports and to what runs already have paths of their own (P-416)', async () => {
    await (await upgrade(`${PODS}/web/portforward?ports=80&ports=81,82`)).until('hello;')
    expect(kubelet.seen.at(-1)!.url).toBe('/portForward/default/web?port=80%2C81%2C82')
    await (await upgrade(`${PODS}/web/attach?stdout=true`)).until('hello;')
    expect(kubelet.seen.at(-1)!.url).toBe('/attach/default/web/c?output=1')
  })

  it('end with the answer where the kubelet does not switch, and nothing more reaches it', async () => {
    const refused = await upgrade(`${PODS}/refusing/exec?command=ls`)
    expect(await refused.until('not so')).toMatch(/^HTTP\/1\.1 403 /)
    refused.write('GET /pods HTTP/1.1\r\n\r\n')
    await refused.closed
    const moved = await upgrade(`${PODS}/moved/exec?command=ls`)
    expect(await moved.until('invalid upgrade response: status code 302')).toMatch(/^HTTP\/1\.1 502 /)
    await moved.closed
    expect(kubelet.seen.at(-1)!.url).toBe('/exec/default/moved/c?command=ls')
  })

  it('are for those who may create them, by GET too (P-106)', async () => {
    const role = {
      metadata: { name: 'reader' },
      rules: [{ apiGroups: [''], resources: ['pods/exec'], verbs: ['get'] }],
    }
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default'
    await server.must(`${rbac}/roles`, { method: 'POST', body: role })
    const subjects = [{ kind: 'User', name: 'jane', apiGroup: 'rbac.authorization.k8s.io' }]
    const roleRef = { kind: 'Role', name: 'reader', apiGroup: 'rbac.authorization.k8s.io' }
    await server.must(`${rbac}/rolebindings`, { method: 'POST', body: { metadata: { name: 'r' }, subjects, roleRef } })
    const before = kubelet.seen.length
    const stream = await upgrade(`${PODS}/web/exec?command=ls`, { token: 'jane-token' })
    expect(await stream.until('Forbidden')).toMatch(/^HTTP\/1\.1 403 /)
    expect(kubelet.seen.length).toBe(before)
  })

  it('are refused without an upgrade that is known (P-415)', async () => {
    const plain = await server.request(`${PODS}/web/exec?command=ls`)
    expect([plain.status, plain.json()['message']]).toEqual([400, 'Upgrade request required'])
    expect(await (await upgrade(`${PODS}/web/exec`, { protocol: 'h2c' })).until('Upgrade request')).toMatch(/ 400 /)
  })
})

describe('the proxy', () => {
  const proxied = (place: string, more = {}): Promise<ServerAnswer> => server.request(`/api/v1/${place}`, more)

  it('reaches a pod at its first port, as nobody (P-425, P-426, P-428)', async () => {
    const answer = await proxied(`namespaces/default/pods/web/proxy/a%20b/?q=%2f`, {
      headers: { cookie: 'secret', 'x-custom': 'kept', 'x-remote-user': 'forged' },
    })
    expect([answer.status, answer.body]).toEqual([200, '/a%20b/?q=%2f kept'])
    expect(answer.headers).toMatchObject({ 'content-type': 'text/plain; charset=utf-8' })
    expect(answer.headers['content-security-policy']).toContain('sandbox')
    expect(answer.headers['set-cookie']).toBeUndefined()
    const { headers } = asked.at(-1)!
    expect(headers).toMatchObject({
      host: `${OUTSIDE}:${backendPort}`,
      'x-forwarded-uri': '/api/v1/namespaces/default/pods/web/proxy/a%20b/',
    })
    expect(JSON.stringify(headers)).not.toMatch(/secret|forged/)
    expect(JSON.stringify(headers)).not.toContain(server.adminToken)
    expect((await proxied('namespaces/default/pods/web/proxy')).headers['location']).toMatch(/\/web\/proxy\/$/)
  })

  it('sends bodies, and keeps redirects within the backend', async () => {
    const posted = await proxied('namespaces/default/pods/web/proxy/x', { method: 'POST', body: 'text' })
    expect([posted.status, asked.at(-1)!.headers['content-length']]).toEqual([200, '4'])
    const within = await proxied('namespaces/default/pods/web/proxy/within')
    expect([within.status, within.headers['location']]).toEqual([
      302,
      '/api/v1/namespaces/default/pods/web/proxy/other?a=b',
    ])
    const elsewhere = await proxied('namespaces/default/pods/web/proxy/elsewhere')
    expect([elsewhere.status, elsewhere.headers['location']]).toEqual([502, undefined])
    expect((await proxied('namespaces/default/pods/web/proxy/%2e%2e%3b/x')).status).toBe(400)
  })

  it('reaches a service at a pod behind it, and no other address (P-426)', async () => {
    const namespace = 'namespaces/default'
    const statusOf = async (id: string): Promise<number> =>
      (await proxied(`${namespace}/services/${id}/proxy/x`)).status
    const ports = [{ name: 'http', port: 80, targetPort: backendPort }]
    await server.must(`/api/v1/${namespace}/services`, {
      method: 'POST',
      body: { metadata: { name: 's' }, spec: { ports } },
    })
    expect(await statusOf('s:http')).toBe(503)
    const targetRef = { kind: 'Pod', namespace: 'default', name: 'web' }
    const subsets = (ip: string): object => ({
      metadata: { name: 's' },
      subsets: [{ addresses: [{ ip, targetRef }], ports: [{ name: 'http', port: backendPort }] }],
    })
    await server.must(`/api/v1/${namespace}/endpoints`, { method: 'POST', body: subsets('192.0.2.99') })
    expect(await statusOf('s:http')).toBe(503)
    await server.must(`/api/v1/${namespace}/endpoints/s`, { method: 'PUT', body: subsets(OUTSIDE) })
    const reached = async (): Promise<void> => {
      for (const id of ['s:http', 's:80', 'http:s:http'])
        expect((await proxied(`${namespace}/services/${id}/proxy/x`)).body).toBe('/x ')
      expect(await statusOf('s')).toBe(503)
    }
    await reached()

    // The slices count, if there are any.
    const slices = `/apis/discovery.k8s.io/v1/${namespace}/endpointslices`
    const slice = (name: string, endpoint: object): object => ({
      metadata: { name, labels: { 'kubernetes.io/service-name': 's' } },
      addressType: 'IPv4',
      endpoints: [endpoint],
      ports: [{ name: 'http', port: backendPort }],
    })
    const unready = { addresses: [OUTSIDE], targetRef, conditions: { ready: false } }
    for (const [name, endpoint] of [
      ['elsewhere', { addresses: ['192.0.2.99'], targetRef }],
      ['unready', unready],
      ['untargeted', { addresses: [OUTSIDE] }],
    ] as const)
      await server.must(slices, { method: 'POST', body: slice(name, endpoint) })
    expect(await statusOf('s:http')).toBe(503)
    await server.must(slices, { method: 'POST', body: slice('web', { addresses: [OUTSIDE], targetRef }) })
    await reached()
  })

  it('reaches a kubelet with the certificate for it, and other ports without (P-429)', async () => {
    const body = { metadata: { name: 'outside' }, status: { addresses: [{ type: 'InternalIP', address: OUTSIDE }] } }
    const [address, { authority }] = [OUTSIDE, kubelet]
    await using there = await openFakeKubelet({ address, authority, answer: answerAsKubelet })
    await server.must('/api/v1/nodes', { method: 'POST', body })
    expect((await proxied(`nodes/outside:${backendPort}/proxy/x`)).body).toBe('/x ')
    const daemonEndpoints = { kubeletEndpoint: { Port: there.port } }
    const headers = { 'content-type': 'application/merge-patch+json' }
    await server.must('/api/v1/nodes/outside/status', {
      method: 'PATCH',
      body: { status: { daemonEndpoints } },
      headers,
    })
    for (const id of ['outside', `outside:${there.port}`]) {
      expect((await proxied(`nodes/${id}/proxy/pods`)).body).toBe('/pods')
      expect(there.seen.at(-1)!.user).toBe('kube-apiserver')
    }
  })

  it.each([
    ['a loopback address of a pod', 'namespaces/default/pods/logs/proxy/'],
    ['a loopback address of a node', 'nodes/here/proxy/pods'],
    ['a metadata service', 'nodes/metadata:80/proxy/'],
  ])('does not reach %s (P-427)', async (_what, place) => {
    const answer = await proxied(place)
    expect([answer.status, answer.json()['message']]).toEqual([400, 'address not allowed'])
  })

  it('says what is wrong with a backend that is not there (P-402)', async () => {
    const answer = await proxied('namespaces/default/pods/web:1/proxy/x')
    expect([answer.status, answer.json()['message']]).toEqual([
      503,
      `error trying to reach service: dial tcp ${OUTSIDE}:1: connect: connection refused`,
    ])
  })
})

describe('certificates that are replaced', () => {
  const seenUser = async (pod: string): Promise<string | undefined> => {
    expect((await server.request(`${PODS}/${pod}/log`)).status).toBe(200)
    return kubelet.seen.at(-1)!.user
  }

  it('are shown to kubelets, and their authority is trusted, without a restart (P-400)', async () => {
    const replace = (name: string, text: string): void => {
      writeFileSync(path.join(folder, `${name}.new`), text)
      renameSync(path.join(folder, `${name}.new`), path.join(folder, name))
    }
    const renewed = makeSigned(kubelet.authority, { commonName: 'renewed', usages: ['client'] }, HOUR)
    expect(await seenUser('logs')).toBe('kube-apiserver')
    replace('client.key', renewed.key)
    replace('client.crt', renewed.certificate)
    await expect.poll(() => seenUser('logs')).toBe('renewed')

    const authority = makeAuthority(HOUR)
    replace('ca.crt', authority.certificate)
    const told = async (): Promise<unknown> => (await server.request(`${PODS}/logs/log`)).body
    await expect.poll(told).toContain('x509: certificate signed by unknown authority')
    const { certificate: cert, key } = makeServing(authority, { dns: [], addresses: ['127.0.0.1'] }, HOUR)
    kubelet.server.setSecureContext({ cert, key, ca: kubelet.authority.certificate })
    expect(await seenUser('logs')).toBe('renewed')
  })
})
