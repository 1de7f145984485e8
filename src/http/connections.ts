// The open connections: who is at their other ends, found out once for each, and how they are closed in the end.
import { Http2ServerRequest, type Http2SecureServer, type Http2Session } from 'node:http2'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { CertificateCredential } from '../auth/authenticator.ts'
import type { RawRequest } from './exchange.ts'
import type { RemoteEnd } from './http.ts'

/** How long the last bytes may take to reach those who are still reading. */
const LINGER_MS = 1000

export class Connections {
  readonly #sockets = new Set<Socket>()
  readonly #tls = new Set<TLSSocket>()
  readonly #sessions = new Set<Http2Session>()
  readonly #remotes = new WeakMap<object, RemoteEnd>()
  readonly #trustsCertificates: boolean

  constructor(server: Http2SecureServer, trustsCertificates: boolean) {
    this.#trustsCertificates = trustsCertificates
    server.on('connection', (socket: Socket) => track(this.#sockets, socket))
    server.on('secureConnection', (socket: TLSSocket) => {
      if (socket.alpnProtocol !== 'h2') track(this.#tls, socket)
    })
    server.on('session', (session: Http2Session) => track(this.#sessions, session))
  }

  remoteOf(message: RawRequest): RemoteEnd {
    const session = message instanceof Http2ServerRequest ? message.stream.session : undefined
    const connection = session ?? message.socket
    const known = this.#remotes.get(connection)
    if (known !== undefined) return known
    const socket = (session?.socket ?? message.socket) as TLSSocket
    const address = socket.remoteAddress ?? ''
    const remote: RemoteEnd = {
      address,
      isLoopback: /^(::ffff:)?127\.|^::1$/.test(address),
      protocol: session === undefined ? 'http/1.1' : 'h2',
      certificate: certificateOf(socket, this.#trustsCertificates),
    }
    this.#remotes.set(connection, remote)
    return remote
  }

  /** Sends what is still to be sent, for a short while, and then closes whatever is open. */
  async close(): Promise<void> {
    for (const session of this.#sessions) session.close()
    for (const socket of this.#tls) socket.destroySoon()
    const gone = [...this.#sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)))
    const timer = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy()
    }, LINGER_MS)
    await Promise.all(gone)
    clearTimeout(timer)
  }
}

interface Closable {
  once(event: 'close', listener: () => void): unknown
}

function track<T extends Closable>(all: Set<T>, one: T): void {
  all.add(one)
  one.once('close', () => all.delete(one))
}

function certificateOf(socket: TLSSocket, trust: boolean): CertificateCredential | undefined {
  const { raw, subject } = socket.getPeerCertificate()
  if (raw === undefined) return undefined
  return { der: raw, subject: { ...subject }, trusted: trust && socket.authorized }
}
