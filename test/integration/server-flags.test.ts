// Flags that change what a whole server does.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import tls from 'node:tls'
import { afterAll, describe, expect, it } from 'vitest'
import { SILENT_LOG } from '../../src/lib/log.ts'
import { advertisedAddress } from '../../src/config/advertised-address.ts'
import { makeAuthority, makeServing } from '../../src/pki/certificate-maker.ts'
import { openServer } from '../rigs/running-server.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'quarterdeck-flags-'))
afterAll(() => rmSync(folder, { recursive: true }))

const HOUR = 3_600_000

/** What a connection agrees on. */
function handshake(url: string, options: tls.ConnectionOptions): Promise<{ protocol: string; subject: string }> {
  const { hostname, port } = new URL(url)
  const { promise, resolve, reject } = Promise.withResolvers<{ protocol: string; subject: string }>()
  const socket = tls.connect({ host: hostname, port: Number(port), rejectUnauthorized: false, ...options }, () => {
    const names = socket.getPeerCertificate().subjectaltname ?? ''
    resolve({ protocol: String(socket.alpnProtocol), subject: names })
    socket.destroy()
  })
  socket.on('error', reject)
  return promise
}

describe('a server with --runtime-config', () => {
  it('neither serves nor tells of what is switched off, and goes on with the rest (P-470)', async () => {
    await using server = await openServer(['--runtime-config', 'apps/v1=false,autoscaling/v1=false,v1/secrets=false'])
    const status = async (at: string): Promise<number> => (await server.request(at)).status
    expect(await status('/apis/apps/v1')).toBe(404)
    expect(await status('/apis/apps')).toBe(404)
    expect(await server.request('/apis/apps/v1/deployments')).toMatchObject({
      status: 404,
      body: '404 page not found\n',
    })
    expect(await status('/apis/autoscaling/v1/horizontalpodautoscalers')).toBe(404)
    expect(await status('/apis/autoscaling/v2/horizontalpodautoscalers')).toBe(200)
    expect(await status('/api/v1/secrets')).toBe(404)
    expect(await status('/api/v1/configmaps')).toBe(200)
    expect((await server.request('/apis')).body).not.toContain('"apps"')
    expect((await server.request('/api/v1')).body).not.toContain('"secrets"')
    expect((await server.request('/openapi/v3')).body).not.toContain('apis/apps/')
    expect((await server.request('/openapi/v2')).body).not.toContain('/apis/apps/v1/')
    expect((await server.request('/apis/apiregistration.k8s.io/v1/apiservices')).body).not.toContain('v1.apps')
  })
})

describe('a server that is told where it is', () => {
  it('advertises that, and says nothing of endpoints where somebody else does (P-462)', async () => {
    await using server = await openServer([
      '--advertise-address=192.0.2.7',
      '--external-hostname=api.example.com',
      '--kubernetes-service-node-port=30443',
    ])
    expect((await server.request('/api/v1/namespaces/default/endpoints/kubernetes')).body).toContain('"192.0.2.7"')
    expect((await server.request('/api')).body).toMatch(/"serverAddress":"api\.example\.com:\d+"/)
    expect((await server.request('/.well-known/openid-configuration')).body).toContain('https://api.example.com:')
    const service = await server.must('/api/v1/namespaces/default/services/kubernetes')
    expect(service['spec']).toMatchObject({ type: 'NodePort', ports: [{ nodePort: 30_443 }] })
    await using other = await openServer(['--advertise-address=192.0.2.7', '--endpoint-reconciler-type=none'])
    expect((await other.request('/api/v1/namespaces/default/endpoints/kubernetes')).status).toBe(404)
    expect((await other.request('/api/v1/namespaces/default/services/kubernetes')).status).toBe(200)
  })
})

describe('a server that only this machine can reach', () => {
  const address = advertisedAddress('127.0.0.1')

  it('is among the endpoints of its own service with the address of the machine, as if calls were passed on to it', async () => {
    await using server = await openServer()
    const { subsets } = await server.must('/api/v1/namespaces/default/endpoints/kubernetes')
    const slice = await server.must('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes')
    const ports = [{ name: 'https', port: Number(new URL(server.url).port), protocol: 'TCP' }]
    // Machines without any network have none.
    const found = address === undefined ? undefined : [{ addresses: [{ ip: address }], ports }]
    expect(subsets).toEqual(found)
    expect(slice).toMatchObject({
      ports,
      endpoints: address === undefined ? null : [{ addresses: [address], conditions: { ready: true } }],
    })
  })

  it('has no endpoints, and is ready at once, where it is to advertise what endpoints cannot have', async () => {
    const warnings: string[] = []
    const log = { ...SILENT_LOG, warn: (_: object, message: string) => void warnings.push(message) }
    await using server = await openServer(['--advertise-address=127.0.0.1'], log)
    expect(warnings.filter((text) => text.includes('--advertise-address'))).toHaveLength(1)
    const slice = await server.must('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes')
    expect(slice['endpoints']).toBeNull()
  })
})

describe('a server with ports of its own for services', () => {
  it('takes none from outside of them', async () => {
    await using server = await openServer(['--service-node-port-range=20000-20001'])
    const make = (name: string, nodePort?: number) =>
      server.request('/api/v1/namespaces/default/services', {
        method: 'POST',
        body: {
          metadata: { name },
          spec: { type: 'NodePort', ports: [nodePort === undefined ? { port: 1 } : { port: 1, nodePort }] },
        },
      })
    expect((await make('a', 30_000)).body).toContain('The range of valid ports is 20000-20001')
    for (const name of ['b', 'c']) expect((await make(name)).body).toMatch(/"nodePort":2000[01]/)
    expect((await make('d')).body).toContain('range is full')
  })
})

describe('how a server speaks TLS', () => {
  it('HTTP/1.1 only, where that is asked for', async () => {
    await using both = await openServer()
    expect((await handshake(both.url, { ALPNProtocols: ['h2', 'http/1.1'] })).protocol).toBe('h2')
    await using one = await openServer(['--disable-http2-serving', '--tls-curve-preferences=23'])
    expect((await handshake(one.url, { ALPNProtocols: ['h2', 'http/1.1'] })).protocol).toBe('http/1.1')
    await expect(handshake(one.url, { ecdhCurve: 'X25519' })).rejects.toThrow()
  })

  it('with another certificate for those who ask for its name (P-475)', async () => {
    const pairs = ['by-flag.example', 'in-certificate.example'].map((name) => {
      const { certificate, key } = makeServing(makeAuthority(HOUR), { dns: [name], addresses: [] }, HOUR)
      const files = [path.join(folder, `${name}.crt`), path.join(folder, `${name}.key`)] as const
      writeFileSync(files[0], certificate)
      writeFileSync(files[1], key)
      return files.join(',')
    })
    await using server = await openServer([
      `--tls-sni-cert-key=${pairs[0]}:*.wild.example`,
      `--tls-sni-cert-key=${pairs[1]}`,
    ])
    const served = async (servername: string): Promise<string> => (await handshake(server.url, { servername })).subject
    expect(await served('a.wild.example')).toContain('by-flag.example')
    expect(await served('in-certificate.example')).toContain('in-certificate.example')
    expect(await served('by-flag.example')).not.toContain('.example')
  })
})

describe('a server whose metrics are too many', () => {
  it('does not show those that it is told to hide', async () => {
    await using server = await openServer(['--disabled-metrics=apiserver_request_total,no_such_metric'])
    const { body } = await server.request('/metrics')
    expect(body).not.toContain('apiserver_request_total')
    expect(body).toContain('apiserver_request_duration_seconds')
  })
})
