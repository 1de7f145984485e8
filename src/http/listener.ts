// The socket: HTTP/1.1 and HTTP/2 over TLS on one port, fastify as the shell around one wildcard route, everything that is
// hot past it. Stopping lets short requests finish and ends the long ones.
import type { IncomingMessage } from 'node:http'
import { createServer as createHttpsServer, type Server } from 'node:https'
import { Server as NetServer, type Socket } from 'node:net'
import type { SecureContextOptions, TLSSocket } from 'node:tls'
import type { Duplex } from 'node:stream'
import { fastify } from 'fastify'
import { InvariantError } from '../lib/errors.ts'
import { OutboxBuffers } from '../wire/frame-outbox.ts'
import type { Log } from '../lib/log.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import { ClientGoneError, DeadlineError } from './abort-reasons.ts'
import { CONNECTION_LIMITS, type ConnectionLimits, type EndReason } from '../wire/connection-limits.ts'
import { Connections } from './connections.ts'
import { Delivery } from './delivery.ts'
import { Exchange } from './exchange.ts'
import type { Handler, HttpRequest, HttpResponse, RemoteEnd } from './http.ts'
import { HttpDate } from '../wire/http-date.ts'
import { Http1Connection } from './http1-connection.ts'
import { Http2Session, type SessionOptions } from '../wire/http2-server-session.ts'
import type { Http2Stream } from '../wire/http2-server-stream.ts'
import { HttpMeasures } from './measures.ts'
import { HandshakeQueue } from './handshake-queue.ts'
import { Http1Response, requestOf } from './http1-messages.ts'
import type { WireRequest, WireResponse } from '../wire/request-response.ts'
import { RequestInfos } from './request-info.ts'
import { respond } from './respond.ts'
import { RunningRequests } from './running-requests.ts'
import { RequestTurns } from '../wire/request-turns.ts'
import { type UnfinishedLimits, UnfinishedMemory } from '../wire/unfinished-memory.ts'
import { answerUpgrade, isWebSocketUpgrade, type Upgrade, type UpgradeOutcome } from './websocket.ts'

export interface ListenerOptions {
  readonly host: string
  /** 0: any that is free. */
  readonly port: number
  readonly tls: TlsFiles
  readonly handler: Handler
  /** The answer to a request whose deadline has passed. */
  readonly onTimeout: (request: HttpRequest) => HttpResponse
  readonly log: Log
  readonly requestTimeoutMs: number
  readonly maxStreamsPerConnection: number
  readonly maxConnections?: number
  /** What may be received and not complete, or made and not taken. */
  readonly unfinished?: UnfinishedLimits
  readonly limits?: ConnectionLimits
  /** How long a client may take from its first word to the end of its handshake; most give up themselves after ten seconds. */
  readonly handshakeTimeoutMs?: number
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3'
  /** The suites for TLS 1.2, in OpenSSL's words. */
  readonly ciphers: string
  /** How keys are agreed on, in OpenSSL's words; undefined: as it likes. */
  readonly curves?: string | undefined
  /** False: HTTP/1.1 only. */
  readonly http2?: boolean
  /** Whether others may listen where we do. */
  readonly sharesPort?: boolean
  readonly measures?: HttpMeasures
  /** Told of every request when its answer is over. */
  readonly observe: (finished: FinishedRequest) => void
}

/** PEM texts. */
export interface TlsFiles {
  readonly certificate: string
  readonly key: string
  /** For clients that ask for a name; of several that fit, the last. */
  readonly named?: readonly NamedCertificate[]
  /** Client certificates are trusted if they chain to one of these. */
  readonly clientCa: string | undefined
  /** So are those of proxies that speak for their users. */
  readonly proxyCa: string | undefined
}

export interface NamedCertificate {
  /** With a star for any one label. */
  readonly name: string
  readonly certificate: string
  readonly key: string
}

export interface FinishedRequest {
  readonly request: HttpRequest
  /** 0 where none was sent. */
  readonly status: number
  readonly sentBytes: number
  readonly milliseconds: number
}

export interface Closing {
  /** Goes on taking connections until the last request is over, to tell them to try again (P-251). */
  readonly keepListening?: boolean
  /** Long requests are ended evenly over this time, so that they do not all come back at once (P-253). */
  readonly endLongOnesOverMs?: number
}

export interface Listener {
  /** The address that it really listens on. */
  readonly host: string
  readonly port: number
  /** How many requests there were so far. */
  readonly requestCount: number
  /** From now on new connections are made with these; those that stand are not touched. */
  renew(tls: TlsFiles): void
  /** Takes no more connections, ends the long requests, and waits for the others, at most so long. */
  close(graceMs: number, how?: Closing): Promise<void>
}

/** Throws what Node throws where the address cannot be listened on. */
export async function openListener(options: ListenerOptions): Promise<Listener> {
  const { requestTimeoutMs, limits = CONNECTION_LIMITS, measures = new HttpMeasures() } = options
  const server = createServer(options)
  const running = new RunningRequests(limits.stalledMs)
  const parts: AnswerOptions = { ...options, delivery: new Delivery() }
  const memory = new UnfinishedMemory(options.unfinished ?? UNLIMITED, {
    bytes: measures.unfinishedBytes.of(),
    resets: measures.unfinishedResets.of(),
  })
  const onHandshakeError = (): void => void measures.handshakeErrors.of().value++
  const onEnd = (reason: EndReason): void => void measures.connectionEnds.of(reason).value++
  server.on('tlsClientError', onHandshakeError)
  const handshakes = new HandshakeQueue({
    begin: handshakesOf(server),
    onLost: onHandshakeError,
    isBusy: () => parts.delivery.isBusy,
    patienceMs: handshakeTimeoutOf(options),
  })
  const connections = new Connections({
    maxConnections: options.maxConnections ?? Infinity,
    trustsCertificates: authoritiesOf(options.tls) !== undefined,
    dropOldestHandshake: () => handshakes.dropOldest(),
    open: measures.connections.of(),
    onEnd,
  })
  server.on('connection', (socket: Socket) => {
    if (connections.admit(socket)) handshakes.add(socket)
  })
  const infos = new RequestInfos()
  const app = fastify({
    // Only for the types: with a factory fastify makes no server of its own.
    https: {},
    serverFactory: (handler) => server.on('request', handler),
    // fastify's own router would refuse long names and odd escapes: it only ever sees one path.
    rewriteUrl: () => '/',
    return503OnClosing: false,
    // No schemas are used: without these the compilers for them would be loaded, 600 KB of source.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    exposeHeadRoutes: false,
    clientErrorHandler: refuseUnreadable,
  })
  const begin = (request: WireRequest, remote: RemoteEnd, transport: HttpRequest['transport']): Exchange => {
    const exchange = new Exchange(request, { remote, transport, requestTimeoutMs, infos })
    running.add(exchange)
    return exchange
  }
  const serve = (exchange: Exchange, raw: WireResponse): (() => void) => {
    void answer(exchange, raw, parts)
    return () => {
      exchange.closed(raw.wasSent)
      running.remove(exchange)
    }
  }
  app.addHook('onRequest', (request, reply) => {
    reply.hijack()
    const message = request.raw
    const response = reply.raw
    const connection = connections.http1Of(message.socket)
    const { holding } = connection
    response.once('close', () => connection.finish())
    connection.take(() => {
      const remote = connections.remoteOf(connection, 'http/1.1')
      const exchange = begin(requestOf(message, request.originalUrl, holding), remote, 'plain')
      response.once('close', serve(exchange, new Http1Response(response, holding)))
    })
  })
  const onRequest = (stream: Http2Stream, session: Http2Session): void => {
    const { head } = stream
    if (head.target === undefined) return stream.whole(405, {}, undefined)
    if (head.headers['expect'] === '100-continue') stream.continue()
    const exchange = begin(stream, connections.remoteOf(session, 'h2'), 'plain')
    stream.whenClosed(serve(exchange, stream))
  }
  server.on('upgrade', (message: IncomingMessage, socket: Duplex, head: Buffer) => {
    const transport = isWebSocketUpgrade(message) ? 'websocket' : 'plain'
    const connection = connections.http1Of(message.socket)
    if (!connection.takeUpgrade()) return
    const { holding } = connection
    const remote = connections.remoteOf(connection, 'http/1.1')
    const exchange = begin(requestOf(message, message.url ?? '/', holding), remote, transport)
    socket.once('close', () => {
      exchange.closed(false)
      running.remove(exchange)
    })
    void upgrade(exchange, { message, socket, head, holding, delivery: parts.delivery }, parts)
  })
  app.all('/*', () => {})
  app.setNotFoundHandler(() => {})
  const sessionOptions: SessionOptions = {
    maxStreams: options.maxStreamsPerConnection,
    maxHeaderBytes: MAX_HEADER_BYTES,
    limits,
    memory,
    turns: new RequestTurns(),
    buffers: new OutboxBuffers(),
    date: new HttpDate(),
    onRequest,
    onFault: (error) => options.log.error({ err: error }, 'connection closed after an internal error'),
    onEnd,
  }
  divideProtocols(server, {
    http1: (socket) => connections.add(new Http1Connection(socket, { memory, onEnd })),
    http2: (socket) => connections.add(new Http2Session(socket, sessionOptions)),
  })
  const { host, port, sharesPort: reusePort = false } = options
  const place = { host, port, backlog: LISTEN_BACKLOG, reusePort }
  await app.listen(place)
  return {
    ...addressOf(server, options),
    get requestCount() {
      return running.total
    },
    renew: (tls) => {
      server.setSecureContext(contextOf({ ...options, tls }))
      nameCertificates(server, { ...options, tls })
    },
    async close(graceMs, { keepListening = false, endLongOnesOverMs = 0 } = {}) {
      // Not the server's own `close`: that destroys connections whose last bytes are still on their way.
      if (!keepListening) NetServer.prototype.close.call(server)
      await running.endLongOnes(endLongOnesOverMs)
      await running.whenNone(graceMs)
      if (keepListening) NetServer.prototype.close.call(server)
      await connections.close()
      await app.close()
    },
  }
}

function noCompiler(): never {
  throw new InvariantError('routes have no schemas')
}

interface AnswerOptions extends ListenerOptions {
  readonly delivery: Delivery
}

async function answer(exchange: Exchange, raw: WireResponse, options: AnswerOptions): Promise<void> {
  let status = 0
  let sentBytes = 0
  const send = (response: HttpResponse): MaybePromise<void> => {
    status = response.status
    if (exchange.isSentAway) raw.leave()
    return whenKnown(respond(raw, response, { exchange, delivery: options.delivery }), (bytes) => {
      sentBytes = bytes
    })
  }
  exchange.onDeadline = () => {
    if (raw.headersSent) raw.breakOff()
    else void send(options.onTimeout(exchange))
  }
  exchange.onOverdue = () => raw.breakOff()
  exchange.progress = raw
  try {
    const response = await options.handler(exchange)
    // Too late where its time was up: that was answered already.
    const sending = raw.headersSent ? undefined : send(response)
    if (sending !== undefined) await sending
  } catch (error) {
    tellBroken(options.log, exchange, error)
    raw.breakOff()
  }
  options.observe({ request: exchange, status, sentBytes, milliseconds: performance.now() - exchange.receivedAt })
}

async function upgrade(exchange: Exchange, wanted: Upgrade, options: ListenerOptions): Promise<void> {
  let outcome: UpgradeOutcome = { status: 0, sentBytes: 0 }
  exchange.onOverdue = () => wanted.socket.destroy()
  try {
    outcome = await answerUpgrade(wanted, await options.handler(exchange), exchange)
  } catch (error) {
    tellBroken(options.log, exchange, error)
    wanted.socket.destroy()
  }
  options.observe({ request: exchange, ...outcome, milliseconds: performance.now() - exchange.receivedAt })
}

function tellBroken(log: Log, { signal, auditId, path }: Exchange, error: unknown): void {
  if (signal.reason instanceof ClientGoneError) return
  // The client asked for little time, or took too long to read.
  const isLate = signal.reason instanceof DeadlineError
  log[isLate ? 'info' : 'error']({ err: isLate ? signal.reason : error, auditId, path }, 'answer broken off')
}

/**
 * What is no HTTP never becomes a request; it is told so in plain text, and the connection ends (P-231). Where HTTP had not
 * begun, as in a handshake that took too long, there is nobody to tell: what is written then stays in the socket, the
 * handshake may still come to its end, and the session that follows breaks down over it with the whole process.
 */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!/^(HPE|ERR_HTTP)_/.test(error.code ?? '') || !socket.writable) return void socket.destroy()
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request'
  const head = `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n`
  socket.end(head + status, () => socket.destroy())
}

function createServer(listener: ListenerOptions): Server {
  const server = createHttpsServer({
    ...contextOf(listener),
    ALPNProtocols: listener.http2 === false ? ['http/1.1'] : ['h2', 'http/1.1'],
    // Everybody is asked for a certificate and nobody is turned away for a bad one: that is answered with 401 (P-020).
    requestCert: true,
    rejectUnauthorized: false,
    ...SOCKET_OPTIONS,
    keepAliveTimeout: (listener.limits ?? CONNECTION_LIMITS).idleMs,
    headersTimeout: (listener.limits ?? CONNECTION_LIMITS).unfinishedMs,
    handshakeTimeout: handshakeTimeoutOf(listener),
  })
  nameCertificates(server, listener)
  return server
}

function handshakeTimeoutOf({ handshakeTimeoutMs = 10_000 }: ListenerOptions): number {
  return handshakeTimeoutMs
}

/** Node would begin the handshake of every connection that it has: now they are begun by what this gives. */
function handshakesOf(server: Server): (socket: Socket) => void {
  const begins = server.listeners('connection')
  server.removeAllListeners('connection')
  return (socket) => {
    for (const begin of begins) begin.call(server, socket)
  }
}

/** Node's server sees the connections that speak HTTP/1.1; `http1` is told of them. */
function divideProtocols(
  server: Server,
  { http1, http2 }: Record<'http1' | 'http2', (socket: TLSSocket) => void>,
): void {
  const serves = server.listeners('secureConnection')
  server.removeAllListeners('secureConnection').on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === 'h2') return http2(socket)
    http1(socket)
    for (const serve of serves) serve.call(server, socket)
  })
}

function nameCertificates(server: Server, listener: ListenerOptions): void {
  for (const { name, certificate, key } of listener.tls.named ?? []) {
    server.addContext(name, contextOf({ ...listener, tls: { ...listener.tls, certificate, key } }))
  }
}

function contextOf({ tls, minVersion, ciphers, curves }: ListenerOptions): SecureContextOptions {
  const ca = authoritiesOf(tls)
  const { key, certificate: cert } = tls
  // An authority of ours need not be one that signed itself.
  const groups = curves === undefined ? {} : { ecdhCurve: curves }
  const context = { key, cert, minVersion, ciphers, ...groups, allowPartialTrustChain: true }
  return ca === undefined ? context : { ...context, ca }
}

function authoritiesOf({ clientCa, proxyCa }: TlsFiles): string | undefined {
  const given = [clientCa, proxyCa].filter((pem) => pem !== undefined)
  return given.length === 0 ? undefined : given.join('\n')
}

/** The fields of a request, all of them together. */
const MAX_HEADER_BYTES = 64 * 1024
const UNLIMITED: UnfinishedLimits = { perConnectionBytes: Infinity, totalBytes: Infinity }
/** Node's 511 would drop the connections of a thousand clients that come back at once, each for a second or more. */
const LISTEN_BACKLOG = 4096

const SOCKET_OPTIONS = Object.freeze({
  // Whoever is gone without a word is found out by the kernel.
  keepAlive: true,
  keepAliveInitialDelay: 30_000,
  noDelay: true,
  maxHeaderSize: MAX_HEADER_BYTES,
  // How often Node looks at how long requests take.
  connectionsCheckingInterval: 1000,
})

function addressOf(server: Server, { host, port }: ListenerOptions): { host: string; port: number } {
  const bound = server.address()
  return typeof bound === 'object' && bound !== null ? { host: bound.address, port: bound.port } : { host, port }
}
