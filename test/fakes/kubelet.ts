// A kubelet as a real server with TLS that asks for client certificates: it answers as a test says, and remembers what it was asked.
import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { type KeyPair, makeAuthority, makeServing, makeSigned } from '../../src/pki/certificate-maker.ts'

export interface KubeletRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** The name in the client certificate. */
  readonly user: string | undefined
}

export interface FakeKubelet extends AsyncDisposable {
  readonly port: number
  readonly authority: KeyPair
  /** What it lets in. */
  readonly client: KeyPair
  readonly seen: KubeletRequest[]
  readonly server: https.Server
}

interface Behaviour {
  /** The address in its certificate; it listens on all. Absent: that of loopback. */
  readonly address?: string
  /** Signs its certificate and those of its clients. */
  readonly authority?: KeyPair
  readonly answer: (request: KubeletRequest, response: ServerResponse) => void
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
}

const HOUR = 3_600_000

export async function openFakeKubelet({
  address = '127.0.0.1',
  authority = makeAuthority(HOUR),
  answer,
  upgrade,
}: Behaviour): Promise<FakeKubelet> {
  const { certificate, key } = makeServing(authority, { dns: ['kubelet.test'], addresses: [address] }, HOUR)
  const client = makeSigned(authority, { commonName: 'kube-apiserver', usages: ['client'] }, HOUR)
  const seen: KubeletRequest[] = []
  const noted = ({ method = '', url = '', headers, socket }: IncomingMessage, body = ''): KubeletRequest => {
    const { subject } = (socket as TLSSocket).getPeerCertificate()
    const one = { method, url, headers, body, user: [subject?.CN].flat()[0] }
    seen.push(one)
    return one
  }
  const tls = { cert: certificate, key, ca: authority.certificate, requestCert: true, rejectUnauthorized: true }
  const server = https.createServer(tls, (request, response) => {
    let body = ''
    request.on('data', (piece: Buffer) => (body += piece.toString()))
    request.on('end', () => answer(noted(request, body), response))
  })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    noted(request)
    socket.on('error', () => {})
    upgrade?.(request, socket, head)
  })
  server.listen(0)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    authority,
    client,
    seen,
    server,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
