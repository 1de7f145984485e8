// The open connections: their maximum number, their clients, their time limits, and their end.
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { CertificateCredential } from '../auth/authenticator.ts'
import type { Count } from '../lib/measure.ts'
import { type EndReason, CHECK_EVERY_MS } from '../wire/connection-limits.ts'
import type { RemoteEnd } from './http.ts'
import type { Http1Connection } from './http1-connection.ts'
import type { Http2Session } from '../wire/http2-server-session.ts'

/** The time that clients have to read the last bytes when the server stops. */
const LINGER_MS = 1000

/**
 * If there are too many connections, up to this share of the maximum is closed: the connections that have been idle longest. Several are
 * closed at a time, because the search takes a while.
 */
const IDLE_SHARE = 0.01
const LEAST_IDLE_MS = 1000

const MAX_CHAIN = 8

type Connection = Http1Connection | Http2Session

export interface ConnectionsOptions {
  readonly maxConnections: number
  readonly trustsCertificates: boolean
  /** Closes a connection that has not sent anything yet. False: there is none. */
  readonly dropOldestHandshake: () => boolean
  readonly open: Count
  readonly onEnd: (reason: EndReason) => void
}

export class Connections {
  readonly #options: ConnectionsOptions
  /** The open sockets, including those before their TLS handshake. */
  readonly #sockets = new Set<Socket>()
  readonly #connections = new Map<Socket, Connection>()
  readonly #remotes = new WeakMap<Connection, RemoteEnd>()
  readonly #timer: NodeJS.Timeout
  #drainsNewcomers = false

  constructor(options: ConnectionsOptions) {
    this.#options = options
    this.#timer = setInterval(() => this.#checkLimits(), CHECK_EVERY_MS)
    this.#timer.unref()
  }

  /** Accepts a connection. If there are too many and no other can be closed instead, this connection is closed, and the result is false. */
  admit(socket: Socket): boolean {
    const { maxConnections, dropOldestHandshake, open, onEnd } = this.#options
    if (this.#sockets.size >= maxConnections && !this.#closeIdlest()) {
      onEnd('limit')
      if (!dropOldestHandshake()) {
        socket.destroy()
        return false
      }
    }
    this.#sockets.add(socket)
    open.value = this.#sockets.size
    socket.once('close', () => {
      this.#sockets.delete(socket)
      open.value = this.#sockets.size
    })
    return true
  }

  /** Adds a connection whose TLS handshake is over. */
  add(connection: Connection): void {
    const { socket } = connection
    this.#connections.set(socket, connection)
    socket.once('close', () => this.#connections.delete(socket))
    if (this.#drainsNewcomers) connection.drain()
  }

  /** Asks the clients of open connections to reconnect. Requests on the open connections are answered meanwhile. */
  drain({ newcomers = false } = {}): void {
    this.#drainsNewcomers ||= newcomers
    for (const connection of this.#connections.values()) connection.drain()
  }

  http1Of(socket: Socket): Http1Connection {
    return this.#connections.get(socket) as Http1Connection
  }

  remoteOf(connection: Connection, protocol: RemoteEnd['protocol']): RemoteEnd {
    const known = this.#remotes.get(connection)
    if (known !== undefined) return known
    const socket = connection.socket as TLSSocket
    const address = socket.remoteAddress ?? ''
    const remote: RemoteEnd = {
      address,
      isLoopback: /^(::ffff:)?127\.|^::1$/.test(address),
      protocol,
      certificate: certificateOf(socket, this.#options.trustsCertificates),
      hangUp: () => socket.destroy(),
    }
    this.#remotes.set(connection, remote)
    return remote
  }

  /** Sends the remaining bytes for a short while, and then closes all connections. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    for (const connection of this.#connections.values()) connection.leave()
    const gone = [...this.#sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)))
    const timer = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy()
    }, LINGER_MS)
    await Promise.all(gone)
    clearTimeout(timer)
  }

  #checkLimits(): void {
    const now = performance.now()
    for (const connection of this.#connections.values()) connection.checkLimits(now)
  }

  /** Closes the connections that have been idle longest. False: no connection was idle. */
  #closeIdlest(): boolean {
    const now = performance.now()
    const idle = [...this.#connections.values()]
      .map((connection) => ({ connection, milliseconds: connection.idleMilliseconds(now) }))
      .filter(({ milliseconds }) => milliseconds >= LEAST_IDLE_MS)
      .sort((a, b) => b.milliseconds - a.milliseconds)
      .slice(0, Math.ceil(this.#options.maxConnections * IDLE_SHARE))
    for (const { connection } of idle) connection.closeIdle('limit')
    return idle.length > 0
  }
}

function certificateOf(socket: TLSSocket, trust: boolean): CertificateCredential | undefined {
  const leaf = socket.getPeerCertificate(true)
  const { raw, subject } = leaf
  if (raw === undefined) return undefined
  const chain: Buffer[] = []
  for (let at = leaf.issuerCertificate; at?.raw !== undefined && chain.length < MAX_CHAIN; at = at.issuerCertificate) {
    chain.push(at.raw)
    // The authority at the end of the chain has signed its own certificate.
    if (at.issuerCertificate === at) break
  }
  return { der: raw, chain, subject: { ...subject }, trusted: trust && socket.authorized }
}
