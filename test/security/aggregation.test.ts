// A server behind this one must not lead clients elsewhere.
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeAuthority, makeServing } from '../../src/server/certificate-maker.ts'
import { type OpenServer, openServer } from '../fakes/running-server.ts'

const GROUP = 'remote.example.com'
const HOUR = 3_600_000

let server: OpenServer
let backend: Server

beforeAll(async () => {
  const authority = makeAuthority(HOUR)
  const { certificate, key } = makeServing(authority, { dns: ['backend.default.svc'], addresses: [] }, HOUR)
  backend = createServer({ cert: certificate, key }, ({ url = '' }, response) => {
    const status = Number(/moved-(\d+)/.exec(url)?.[1] ?? 200)
    response.writeHead(status, { location: 'https://169.254.169.254/', 'content-type': 'application/json' })
    response.end('{"kind":"APIResourceList","resources":[]}')
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
  while ((await server.request(`/apis/${GROUP}/v1`)).status !== 200) await sleep(20)
})
afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
  backend?.closeAllConnections()
  backend?.close()
})

describe('CVE-2022-3172: redirects of servers behind this one', () => {
  it.each([301, 302, 303, 307, 308])('%i is not passed on', async (status) => {
    for (const method of ['GET', 'POST']) {
      const answer = await server.request(`/apis/${GROUP}/v1/moved-${status}`, { method })
      expect([answer.status, answer.headers['location']]).toEqual([502, undefined])
    }
  })
})
