// A server behind this one must not lead clients elsewhere, nor be reached past this one.
import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { makeAuthority, makeServing } from '../../src/pki/certificate-maker.ts'
import { type OpenServer, openServer } from '../fakes/running-server.ts'

const GROUP = 'remote.example.com'
const HOUR = 3_600_000

let server: OpenServer
let backend: Server
/** What came on connections to the backend behind the head of an upgrade. */
let heard = ''
let upgrades: string[] = []

beforeAll(async () => {
  const authority = makeAuthority(HOUR)
  const { certificate, key } = makeServing(authority, { dns: ['backend.default.svc'], addresses: [] }, HOUR)
  backend = createServer({ cert: certificate, key }, ({ url = '' }, response) => {
    const status = Number(/moved-(\d+)/.exec(url)?.[1] ?? 200)
    response.writeHead(status, { location: 'https://169.254.169.254/', 'content-type': 'application/json' })
    response.end('{"kind":"APIResourceList","resources":[]}')
  })
  backend.on('upgrade', ({ url = '' }: { url?: string }, socket: Duplex, head: Buffer) => {
    upgrades.push(url)
    heard += head.toString()
    socket.on('error', () => {})
    socket.on('data', (piece: Buffer) => void (heard += piece.toString()))
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
  await server.must('/apis/apiregistration.k8s.io/v1/apiservices', {
    method: 'POST',
    body: {
      metadata: { name: `v1.${GROUP}` },
      spec: { group: GROUP, version: 'v1', service, caBundle, groupPriorityMinimum: 100, versionPriority: 10 },
    },
  })
  const isServed = async (): Promise<void> => expect((await server.request(`/apis/${GROUP}/v1`)).status).toBe(200)
  await vi.waitFor(isServed, { interval: 20, timeout: 40_000 })
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
