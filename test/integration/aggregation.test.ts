import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Duplex } from 'node:stream'
import tls from 'node:tls'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { makeAuthority, makeServing } from '../../src/pki/certificate-maker.ts'
import { type OpenServer, openServer, type ServerAnswer } from '../rigs/running-server.ts'

const SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices'
const GROUP = 'remote.example.com'
const HOUR = 3_600_000

/** Where the backend has its document of version 3. */
const ADDRESS = `/openapi/v3/apis/${GROUP}/v1?hash=ABC`
const CLASHING = 'io.k8s.api.core.v1.Pod'

const DOCUMENTS: Readonly<Record<string, object>> = {
  '/openapi/v3': {
    paths: {
      [`apis/${GROUP}/v1`]: { serverRelativeURL: ADDRESS },
      'apis/apps/v1': { serverRelativeURL: '/elsewhere' },
    },
  },
  [ADDRESS]: { openapi: '3.0.0', info: { title: 'of the backend' }, paths: {} },
  '/openapi/v2': {
    swagger: '2.0',
    paths: {
      [`/apis/${GROUP}/v1/things`]: {
        get: { responses: { '200': { description: 'OK', schema: { $ref: `#/definitions/${CLASHING}` } } } },
      },
      '/apis/apps/v1/deployments': { get: { description: 'not theirs to say' } },
    },
    definitions: { [CLASHING]: { description: 'a pod of another kind', type: 'object' }, unused: { type: 'string' } },
  },
}

interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

describe('a group that another server serves', () => {
  let server: OpenServer
  let backend: https.Server
  const seen: Seen[] = []
  const folder = mkdtempSync(path.join(tmpdir(), 'quarterdeck-aggregation-'))

  function serve(url: string, response: ServerResponse): void {
    const document = DOCUMENTS[url]
    if (document !== undefined) {
      response.writeHead(200, { 'content-type': 'application/json', etag: '"one"' }).end(JSON.stringify(document))
    } else if (url.startsWith(`/apis/${GROUP}/v1/moved`)) {
      response.writeHead(302, { location: 'https://169.254.169.254/' }).end()
    } else if (url.includes('watch=1')) {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{"type":"ADDED"}\n')
      setTimeout(() => response.end('{"type":"DELETED"}\n'), 50)
    } else {
      response.writeHead(url.includes('teapot') ? 418 : 200, {
        'content-type': 'application/json',
        etag: '"backend"',
        'audit-id': 'made-up-by-the-backend',
        'x-kubernetes-pf-flowschema-uid': 'made-up-by-the-backend',
        connection: 'keep-alive, x-hop',
        'x-hop': 'for this connection alone',
      })
      const things = { name: 'things', singularName: 'thing', namespaced: true, kind: 'Thing', verbs: ['get', 'list'] }
      const status = { name: 'things/status', singularName: '', namespaced: true, kind: 'Thing', verbs: ['get'] }
      response.end(JSON.stringify({ kind: 'APIResourceList', url, resources: [things, status] }))
    }
  }

  beforeAll(async () => {
    const authority = makeAuthority(HOUR)
    const { certificate, key } = makeServing(authority, { dns: ['backend.default.svc'], addresses: [] }, HOUR)
    backend = https.createServer({ cert: certificate, key }, (request, response) => {
      let body = ''
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () => {
        const { method = '', url = '', headers } = request
        seen.push({ method, url, headers, body })
        serve(url, response)
      })
    })
    backend.on('upgrade', ({ url = '', headers }: IncomingMessage, socket: Duplex, head: Buffer) => {
      seen.push({ method: 'UPGRADE', url, headers, body: head.toString() })
      const told = `upgrade: ${headers.upgrade}\r\nconnection: Upgrade\r\n\r\n`
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${told}hello;`)
      socket.on('data', (piece: Buffer) => socket.write(`${piece.toString()}!`))
      socket.on('error', () => {})
      socket.on('end', () => socket.end())
    })
    backend.listen(0, '127.0.0.1')
    await once(backend, 'listening')
    const { port } = backend.address() as AddressInfo
    const tokens = path.join(folder, 'tokens')
    writeFileSync(tokens, 'jane-token,jane,7,"a,b"\n')
    server = await openServer(['--token-auth-file', tokens])
    await server.must('/api/v1/namespaces/default/services', {
      method: 'POST',
      body: {
        kind: 'Service',
        apiVersion: 'v1',
        metadata: { name: 'backend' },
        spec: { type: 'ExternalName', externalName: 'localhost' },
      },
    })
    await server.must(SERVICES, {
      method: 'POST',
      body: {
        kind: 'APIService',
        apiVersion: 'apiregistration.k8s.io/v1',
        metadata: { name: `v1.${GROUP}` },
        spec: {
          group: GROUP,
          version: 'v1',
          service: { namespace: 'default', name: 'backend', port },
          caBundle: Buffer.from(authority.certificate).toString('base64'),
          groupPriorityMinimum: 17650,
          versionPriority: 10,
        },
      },
    })
    const isServed = async (): Promise<void> => expect((await server.request(`/apis/${GROUP}/v1`)).status).toBe(200)
    await vi.waitFor(isServed, { interval: 20, timeout: 40_000 })
    seen.length = 0
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    backend?.closeAllConnections()
    backend?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('is told to be available, and stands in discovery (P-382, P-387, P-389, P-391)', async () => {
    expect(await server.must(`${SERVICES}/v1.${GROUP}`)).toMatchObject({
      status: { conditions: [{ type: 'Available', status: 'True', reason: 'Passed', message: 'all checks passed' }] },
    })
    expect(await server.must(`/apis/${GROUP}`)).toMatchObject({ kind: 'APIGroup', versions: [{ version: 'v1' }] })
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
    const version = async (): Promise<unknown> => {
      const { items } = (await server.must('/apis', { headers: { accept } })) as unknown as {
        readonly items: readonly {
          readonly metadata: { readonly name: string }
          readonly versions: readonly unknown[]
        }[]
      }
      return items.find(({ metadata }) => metadata.name === GROUP)?.versions[0]
    }
    await expect.poll(version).toMatchObject({
      version: 'v1',
      freshness: 'Current',
      resources: [
        {
          resource: 'things',
          responseKind: { kind: 'Thing' },
          scope: 'Namespaced',
          verbs: ['get', 'list'],
          subresources: [{ subresource: 'status' }],
        },
      ],
    })
    expect((await server.request('/metrics')).body).toContain(`aggregator_unavailable_apiservice{name="v1.${GROUP}"} 0`)
  })

  it('is asked as the user, without the user’s credentials (P-384)', async () => {
    const answer = await server.request(`/apis/${GROUP}/v1/namespaces/x/things?a=b`, {
      method: 'POST',
      body: { kind: 'Thing' },
      headers: {
        'x-remote-user': 'forged',
        'impersonate-user': 'jane',
        'impersonate-group': 'system:masters',
        'x-custom': 'c',
      },
    })
    expect(answer.status).toBe(200)
    expect(answer.headers['etag']).toBe('"backend"')
    expect(answer.headers['x-hop']).toBeUndefined()
    expect(JSON.stringify(answer.headers)).not.toContain('made-up-by-the-backend')
    expect(answer.headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/)
    expect(answer.json()).toMatchObject({ url: `/apis/${GROUP}/v1/namespaces/x/things?a=b` })
    const { headers, body, method } = seen.at(-1)!
    expect([method, body]).toEqual(['POST', '{"kind":"Thing"}'])
    expect(headers).toMatchObject({
      'x-remote-user': 'jane',
      'x-custom': 'c',
      'x-forwarded-for': '127.0.0.1',
      'audit-id': answer.headers['audit-id'],
    })
    expect(headers.authorization).toBeUndefined()
    expect(headers['impersonate-user']).toBeUndefined()
    expect(JSON.stringify(headers)).not.toContain(server.adminToken)
  })

  /** As the bytes of a text are given to Node. */
  const bytesOf = (text: string): string => Buffer.from(text).toString('latin1')

  it.each(['oidc:\u00e9', 'oidc:\u00c3\u00a9', '\u65e5\u672c', 'a b', '\u{1F600}', "o'neil(x)%41"])(
    'hears of a user called %s by that very name (P-384)',
    async (name) => {
      const answer = await server.request(`/apis/${GROUP}/v1/things`, {
        headers: {
          'impersonate-user': bytesOf(name),
          'impersonate-group': bytesOf('system:masters'),
          'impersonate-extra-some%2fkey%28%c3%a9%29': bytesOf(name),
        },
      })
      expect([answer.status, answer.body]).toEqual([200, expect.any(String)])
      const { headers } = seen.at(-1)!
      expect(headers['x-remote-user']).toBe(bytesOf(name))
      expect(headers['x-remote-extra-some%2fkey%28%c3%a9%29']).toBe(bytesOf(name))
    },
  )

  it('is asked for a path of its own, however that was written', async () => {
    const raw = (path: string): Promise<ServerAnswer> => server.request(path)
    await raw(`${server.url}/apis/${GROUP}/v1/things?x=http://y/`)
    expect(seen.at(-1)).toMatchObject({
      url: `/apis/${GROUP}/v1/things?x=http://y/`,
      headers: { 'x-forwarded-uri': `/apis/${GROUP}/v1/things?x=http://y/`, host: expect.stringContaining('backend') },
    })
    await raw(`/apis/${GROUP}/v1/namespaces/n/things%2fa%20b%c3%a9%3f?c=%2f`)
    expect(seen.at(-1)!.url).toBe(`/apis/${GROUP}/v1/namespaces/n/things/a%20b%C3%A9%3F?c=%2f`)
    const before = seen.length
    expect((await raw(`/apis/${GROUP}/v1/things/%zz`)).status).toBe(400)
    expect(seen.length).toBe(before)
  })

  it('answers as the other server does, streams included', async () => {
    expect((await server.request(`/apis/${GROUP}/v1/teapot`)).status).toBe(418)
    const { body } = await server.request(`/apis/${GROUP}/v1/things?watch=1`)
    expect(body).toBe('{"type":"ADDED"}\n{"type":"DELETED"}\n')
  })

  it('is not asked for those who may not (P-385)', async () => {
    const before = seen.length
    expect((await server.request(`/apis/${GROUP}/v1/things`, { token: 'jane-token' })).status).toBe(403)
    expect(seen.length).toBe(before)
  })

  it('stands among the other groups by its priority (P-388)', async () => {
    const { groups } = (await server.must('/apis')) as unknown as { readonly groups: readonly { name: string }[] }
    const names = groups.map(({ name }) => name)
    expect(names[0]).toBe('apiregistration.k8s.io')
    const at = names.indexOf(GROUP)
    expect(names.slice(at - 1, at + 2)).toEqual(['authentication.k8s.io', GROUP, 'authorization.k8s.io'])
  })

  it('is described in our documents (P-390)', async () => {
    interface Index {
      readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>
    }
    const index = async (): Promise<Index> => (await server.must('/openapi/v3')) as unknown as Index
    await expect.poll(async () => (await index()).paths[`apis/${GROUP}/v1`]).toEqual({ serverRelativeURL: ADDRESS })
    expect((await index()).paths['apis/apps/v1']?.serverRelativeURL).toMatch(/^\/openapi\/v3\/apis\/apps\/v1\?hash=/)
    expect(await server.must(ADDRESS)).toMatchObject({ info: { title: 'of the backend' } })
    const { paths, definitions } = (await server.must('/openapi/v2')) as unknown as {
      readonly paths: Readonly<Record<string, unknown>>
      readonly definitions: Readonly<Record<string, unknown>>
    }
    expect(paths[`/apis/${GROUP}/v1/things`]).toEqual({
      get: { responses: { '200': { description: 'OK', schema: { $ref: `#/definitions/${CLASHING}_v2` } } } },
    })
    expect(definitions[`${CLASHING}_v2`]).toEqual({ description: 'a pod of another kind', type: 'object' })
    expect(definitions[CLASHING]).not.toEqual(definitions[`${CLASHING}_v2`])
    expect(definitions['unused']).toBeUndefined()
    expect(JSON.stringify(paths['/apis/apps/v1/deployments'] ?? {})).not.toContain('not theirs to say')
    const accept = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'
    expect((await server.request('/openapi/v2', { headers: { accept } })).status).toBe(200)
  })

  it.each(['websocket', 'SPDY/3.1'])('takes over connections that are to become %s', async (protocol) => {
    const { hostname, port } = new URL(server.url)
    const socket = tls.connect({
      host: hostname,
      port: Number(port),
      ca: server.authority,
      ALPNProtocols: ['http/1.1'],
    })
    await once(socket, 'secureConnect')
    const received: Buffer[] = []
    socket.on('data', (piece: Buffer) => received.push(piece))
    const text = (): string => Buffer.concat(received).toString()
    const token = `base64url.bearer.authorization.k8s.io.${Buffer.from(server.adminToken).toString('base64url')}`
    const headers = [
      `Host: ${hostname}:${port}`,
      'Connection: Upgrade',
      `Upgrade: ${protocol}`,
      ...(protocol === 'websocket'
        ? [
            `Sec-WebSocket-Protocol: ${token}, v5.channel.k8s.io`,
            'Sec-WebSocket-Version: 13',
            'Sec-WebSocket-Key: a2V5',
          ]
        : [`Authorization: Bearer ${server.adminToken}`]),
    ]
    socket.write(`GET /apis/${GROUP}/v1/things/x/exec?command=ls HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`)
    await expect.poll(text).toContain('hello;')
    expect(text()).toMatch(/^HTTP\/1\.1 101 /)
    socket.write('ping')
    await expect.poll(text).toContain('hello;ping!')
    const { url, headers: sent } = seen.findLast(({ method }) => method === 'UPGRADE')!
    expect(url).toBe(`/apis/${GROUP}/v1/things/x/exec?command=ls`)
    expect(sent).toMatchObject({
      upgrade: protocol,
      connection: 'Upgrade',
      'x-remote-group': expect.any(String) as string,
    })
    expect(sent['sec-websocket-protocol']).toBe(protocol === 'websocket' ? 'v5.channel.k8s.io' : undefined)
    expect(JSON.stringify(sent)).not.toContain(server.adminToken)
    socket.end()
    await once(socket, 'close')
  })

  it('is told to keep its redirects to itself (P-386, D25)', async () => {
    const answer = await server.request(`/apis/${GROUP}/v1/moved`)
    expect(answer.status).toBe(502)
    expect(answer.body).toBe('the backend attempted to redirect this request, which is not permitted\n')
  })

  it('is unavailable when the other server is gone, and nothing else is (P-383, P-392)', async () => {
    backend.closeAllConnections()
    backend.close()
    await once(backend, 'close')
    const answer = await server.request(`/apis/${GROUP}/v1/things`)
    expect(answer.status).toBe(503)
    expect(answer.body).toMatch(/^error trying to reach service: dial tcp .*: connect: connection refused\n$/)
    expect((await server.request('/apis/apps/v1/deployments')).status).toBe(200)
  })
})
