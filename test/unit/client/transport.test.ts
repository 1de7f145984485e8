// Connections over TLS against servers that the test plays: which protocol, how many, and what becomes of those that end.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import http2 from 'node:http2'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Server, TLSSocket } from 'node:tls'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { Client, k8s } from '../../../src/client/client.ts'
import { type EtcdCertificates, makeEtcdCertificates } from '../../fakes/etcd-tls.ts'
import { tempFolder } from '../../rigs/temp-folder.ts'

let pki: EtcdCertificates
let serving: { readonly cert: string; readonly key: string; readonly ca: string }

const LIST = JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [] })

interface Scene {
  readonly client: Client
  readonly connections: () => number
}

/** Connects with the client's certificate. */
async function reach(server: Server, ca = pki.ca): Promise<Scene> {
  let connections = 0
  server.on('secureConnection', () => connections++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { certificate: clientCertificate, key: clientKey } = pki.client
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = new Client({ url, ca, clientCertificate, clientKey })
  onTestFinished(async () => {
    client.close()
    await new Promise((resolve) => server.close(resolve))
  })
  return { client, connections: () => connections }
}

function list({ client }: Scene): Promise<number> {
  return client
    .resource(k8s.Pod)
    .list()
    .then(({ items }) => items.length)
}

describe('connections', () => {
  beforeEach(async () => {
    pki = await makeEtcdCertificates(await tempFolder())
    const { ca, certificate, key } = pki.files
    serving = { ca: readFileSync(ca, 'utf8'), cert: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') }
  })

  it('show the certificate, over HTTP/1.1 where the server wants that', async () => {
    const names: unknown[] = []
    const options = { ...serving, requestCert: true, rejectUnauthorized: true }
    const server = https.createServer(options, (request, response) => {
      names.push([request.httpVersion, (request.socket as TLSSocket).getPeerCertificate().subject.CN])
      response.end(LIST)
    })
    const scene = await reach(server)
    await list(scene)
    await list(scene)
    expect(names).toEqual([
      ['1.1', 'client'],
      ['1.1', 'client'],
    ])
  })

  it('are one for all requests, and more where the server takes no more on one', async () => {
    const server = http2.createSecureServer({ ...serving, requestCert: true, settings: { maxConcurrentStreams: 4 } })
    server.on('stream', (stream, { ':path': path = '' }) => {
      stream.respond({ ':status': 200 })
      if (path.includes('watch=true')) stream.write('')
      else stream.end(LIST)
    })
    const scene = await reach(server)
    await list(scene)
    await Promise.all([list(scene), list(scene)])
    expect(scene.connections()).toBe(1)
    const stop = new AbortController()
    const enough = new Error('enough')
    const watches = [1, 2, 3, 4, 5].map(async () => {
      const events = scene.client.resource(k8s.Pod).watch({ resourceVersion: '1', signal: stop.signal })
      await expect(events.next()).rejects.toBe(enough)
    })
    await expect.poll(() => scene.connections()).toBe(2)
    expect(await list(scene)).toBe(0)
    stop.abort(enough)
    await Promise.all(watches)
  })

  it('are made anew when they end, and nothing is lost that the server did not look at', async () => {
    const server = http2.createSecureServer(serving)
    let streams = 0
    server.on('stream', (stream) => {
      streams++
      stream.on('error', () => undefined)
      if (streams === 2) return stream.close(http2.constants.NGHTTP2_REFUSED_STREAM)
      stream.respond({ ':status': 200 })
      stream.end(LIST)
      if (streams === 3) stream.session?.goaway(http2.constants.NGHTTP2_NO_ERROR)
      if (streams === 4) stream.session?.destroy()
    })
    const scene = await reach(server)
    await list(scene)
    const made = await scene.client.resource(k8s.Pod).create({ metadata: { name: 'refused', namespace: 'x' } })
    expect([made.kind, streams, scene.connections()]).toEqual(['PodList', 3, 1])
    for (let i = 0; i < 3; i++) expect(await list(scene)).toBe(0)
    expect(scene.connections()).toBe(3)
  })

  it('are not made to whom nobody vouches for', async () => {
    const other = await makeEtcdCertificates(await tempFolder())
    const scene = await reach(https.createServer(serving), other.ca)
    await expect(list(scene)).rejects.toMatchObject({
      phase: 'connecting',
      message: expect.stringContaining('certificate') as string,
    })
  })
})
