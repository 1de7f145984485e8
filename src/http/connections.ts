// The open connections: who is at their other ends, found out once for each, and how they are closed in the end.
import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { CertificateCredential } from '../auth/authenticator.ts'
import { ENHANCE_YOUR_CALM } from '../lib/http2-frames.ts'
import type { RemoteEnd } from './http.ts'
import type { Http2Session } from './http2-session.ts'

/** How long the last bytes may take to reach those who are still reading. */
const LINGER_MS = 1000

/**
 * A client that opens requests only to cancel them costs us much and itself next to nothing. More than so many in a row
 * without an answer between, and its connection is closed.
 */
const MAX_EARLY_ENDS = 1000

const MAX_CHAIN = 8

export class Connections {
  readonly #sockets = new Set<Socket>()
  readonly #tls = new Set<TLSSocket>()
  readonly #sessions = new Set<Http2Session>()
  readonly #remotes = new WeakMap<object, RemoteEnd>()
  readonly #unanswered = new WeakMap<RemoteEnd, { readonly session: Http2Session; count: number }>()
  readonly #trustsCertificates: boolean

  constructor(server: Server, trustsCertificates: boolean) {
    this.#trustsCertificates = trustsCertificates
    server.on('connection', (socket: Socket) => track(this.#sockets, socket))
  }

  /** One that speaks HTTP/1.1. */
  addSocket(socket: TLSSocket): void {
    track(this.#tls, socket)
  }

  addSession(session: Http2Session): void {
    this.#sessions.add(session)
    session.socket.once('close', () => this.#sessions.delete(session))
  }

  remoteOf(socket: Socket): RemoteEnd {
    return this.#remotes.get(socket) ?? this.#look(socket, { socket: socket as TLSSocket, session: undefined })
  }

  remoteOfSession(session: Http2Session): RemoteEnd {
    return this.#remotes.get(session) ?? this.#look(session, { socket: session.socket as TLSSocket, session })
  }

  #look(connection: object, { socket, session }: { socket: TLSSocket; session: Http2Session | undefined }): RemoteEnd {
    const address = socket.remoteAddress ?? ''
    const remote: RemoteEnd = {
      address,
      isLoopback: /^(::ffff:)?127\.|^::1$/.test(address),
      protocol: session === undefined ? 'http/1.1' : 'h2',
      certificate: certificateOf(socket, this.#trustsCertificates),
    }
    this.#remotes.set(connection, remote)
    if (session !== undefined) this.#unanswered.set(remote, { session, count: 0 })
    return remote
  }

  /** A request is over; `answered`: its answer had begun, and nothing is held against its connection any more. */
  noteEnd(remote: RemoteEnd, answered: boolean): void {
    const unanswered = this.#unanswered.get(remote)
    if (unanswered === undefined) return
    unanswered.count = answered ? 0 : unanswered.count + 1
    if (unanswered.count > MAX_EARLY_ENDS) unanswered.session.refuse(ENHANCE_YOUR_CALM)
  }

  /** Sends what is still to be sent, for a short while, and then closes whatever is open. */
  async close(): Promise<void> {
    for (const session of this.#sessions) session.leave()
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
  const leaf = socket.getPeerCertificate(true)
  const { raw, subject } = leaf
  if (raw === undefined) return undefined
  const chain: Buffer[] = []
  for (let at = leaf.issuerCertificate; at?.raw !== undefined && chain.length < MAX_CHAIN; at = at.issuerCertificate) {
    chain.push(at.raw)
    // The authority at the end has signed itself.
    if (at.issuerCertificate === at) break
  }
  return { der: raw, chain, subject: { ...subject }, trusted: trust && socket.authorized }
}
