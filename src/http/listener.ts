// The listening socket: HTTP/1.1 and HTTP/2 over TLS on one port. Only Node's TCP server listens. Node's TLS and HTTP/1.1 servers get
// connections by the documented `connection` event. So handshakes can be queued, and HTTP/2 has sessions of our own. When the listener
// closes, short requests finish, and long-running requests are ended.
import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http'
import { createServer as createTcpServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createServer as createHttpServer } from '../lib/node-http.ts'
import { OutboxBuffers } from '../wire/frame-outbox.ts'
import type { User } from '../api/user.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { type Random, systemRandom } from '../lib/random.ts'
import type { Log } from '../lib/log.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import { readInPlace, type ReadSocket } from '../lib/runtime/read-socket.ts'
import { ClientGoneError, DeadlineError } from './abort-reasons.ts'
import { CONNECTION_LIMITS, type ConnectionLimits, type EndReason } from '../wire/connection-limits.ts'
import { Connections } from './connections.ts'
import { Delivery } from './delivery.ts'
import { timeoutAnswer } from './errors.ts'
import { Exchange } from './exchange.ts'
import type { Handler, HttpRequest, HttpResponse, RemoteEnd } from './http.ts'
import { HttpDate } from '../wire/http-date.ts'
import { Http1Connection } from './http1-connection.ts'
import { Http2Session, type SessionOptions } from '../wire/http2-server-session.ts'
import type { Http2Stream } from '../wire/http2-server-stream.ts'
import { type ListenAddress, listenAt, TCP_OPTIONS } from './listening-socket.ts'
import { HttpMeasures } from './measures.ts'
import { HandshakeQueue } from './handshake-queue.ts'
import { Http1Response, requestOf } from './http1-messages.ts'
import { InProcessConnection, type InProcessStream } from './in-process-connection.ts'
import { isAuthority } from '../wire/request-head.ts'
import type { WireRequest, WireResponse } from '../wire/request-response.ts'
import { RequestInfos } from './request-info.ts'
import { respond } from './respond.ts'
import { RunningRequests } from './running-requests.ts'
import { RequestTurns } from '../wire/request-turns.ts'
import { type UnfinishedLimits, UnfinishedMemory } from '../wire/unfinished-memory.ts'
import {
  handshakeTimeoutOf,
  openTls,
  renewTls,
  type TlsRenewal,
  type TlsServerOptions,
  trustsCertificates,
} from './tls-server.ts'
import { answerUpgrade, isWebSocketUpgrade, type Upgrade, type UpgradeOutcome } from './websocket.ts'

export type { InProcessConnection }

export interface ListenerOptions extends ListenAddress, TlsServerOptions {
  /** Absent: this listener listens at the address. */
  readonly sockets?: HandedSockets | undefined
  readonly handler: Handler
  readonly log: Log
  readonly requestTimeoutMs: number
  readonly maxStreamsPerConnection: number
  readonly maxConnections?: number
  /** The limits on incomplete requests and on unread answers. */
  readonly unfinished?: UnfinishedLimits
  readonly limits?: ConnectionLimits
  /** Returns the target that a request of the console means, and undefined for other requests. Absent: there is no console. */
  readonly consoleTarget?: ((target: string) => string | undefined) | undefined
  /** Reads from the socket of an HTTP/2 session. */
  readonly readSocket?: ReadSocket
  readonly measures?: HttpMeasures
  /** The source of audit ids. Absent: the system's. */
  readonly random?: Random
  /** The clock of the Date header. Absent: the system's. */
  readonly clock?: Clock
  /** Called when a handshake begins. */
  readonly onHandshake?: () => void
  /** Called for every request when its answer is over. */
  readonly observe: (finished: FinishedRequest) => void
}

/** Connections that another process accepts for us, at this address. */
export interface HandedSockets {
  readonly host: string
  readonly port: number
  /** Call `take` once. `onSocket` gets every connection from then on. */
  readonly take: (onSocket: (socket: Socket) => void) => void
}

export interface FinishedRequest {
  readonly request: HttpRequest
  readonly user: User
  /** Whether the request was authorized. If not, its values must not become labels of metrics. */
  readonly isAuthorized: boolean
  /** 0: no status was sent. */
  readonly status: number
  readonly sentBytes: number
  readonly milliseconds: number
}

export interface Closing {
  /** Continues to accept connections until the last request has ended. A filter refuses new requests with 429 and Retry-After (P-251). */
  readonly keepListening?: boolean
  /** Long requests are ended evenly over this time, so that their clients do not all reconnect at once (P-253). */
  readonly endLongOnesOverMs?: number
}

export interface Listener {
  readonly host: string
  readonly port: number
  readonly requestCount: number
  /** Opens a connection for a client in this process. */
  connect(): InProcessConnection
  /** Renews certificates and ticket keys for new connections. Open connections keep theirs. */
  renew(renewal: TlsRenewal): void
  /** Asks the clients of all open connections to reconnect: by GOAWAY, or by `Connection: close` with the next answer. */
  drain(): void
  /**
   * Accepts no more connections, ends long requests, and waits at most `graceMs` for the others. Connected clients can send new requests
   * meanwhile.
   */
  close(graceMs: number, how?: Closing): Promise<void>
}

/** Throws Node's error if the server cannot listen on the address. */
export async function openListener(options: ListenerOptions): Promise<Listener> {
  const { requestTimeoutMs, limits = CONNECTION_LIMITS, measures = new HttpMeasures() } = options
  const tls = openTls(options)
  const running = new RunningRequests(limits.stalledMs)
  measures.turns.running = () => running.all()
  const observe = (done: FinishedRequest): void => {
    measures.turns.finish(done)
    options.observe(done)
  }
  const parts: AnswerOptions = { ...options, observe, delivery: new Delivery(options.clock) }
  const memory = new UnfinishedMemory(options.unfinished ?? UNLIMITED, {
    bytes: measures.unfinishedBytes.of(),
    resets: measures.unfinishedResets.of(),
  })
  const onHandshakeError = (): void => void measures.handshakeErrors.of().value++
  const onEnd = (reason: EndReason): void => void measures.connectionEnds.of(reason).value++
  tls.on('tlsClientError', (_error, socket) => {
    onHandshakeError()
    socket.destroy()
  })
  const handshakes = new HandshakeQueue({
    begin: (socket) => {
      options.onHandshake?.()
      tls.emit('connection', socket)
    },
    onLost: onHandshakeError,
    isBusy: () => parts.delivery.isBusy,
    patienceMs: handshakeTimeoutOf(options),
  })
  const connections = new Connections({
    maxConnections: options.maxConnections ?? Infinity,
    trustsCertificates: trustsCertificates(options),
    dropOldestHandshake: () => handshakes.dropOldest(),
    open: measures.connections.of(),
    onEnd,
  })
  const tcp = createTcpServer(TCP_OPTIONS, (socket) => {
    if (connections.admit(socket)) handshakes.add(socket)
  })
  const infos = new RequestInfos()
  const { random = systemRandom } = options
  const begin = (request: WireRequest, remote: RemoteEnd, transport: HttpRequest['transport']): Exchange => {
    const consoleTarget = options.consoleTarget?.(request.target)
    const parts = { remote, transport, requestTimeoutMs, infos, random, consoleTarget, ledger: measures.turns }
    const exchange = new Exchange(request, parts)
    running.add(exchange)
    exchange.resume(exchange.receivedAt)
    return exchange
  }
  const serve = (exchange: Exchange, raw: WireResponse): (() => void) => {
    void answer(exchange, raw, parts)
    return () => {
      exchange.closed(raw.wasSent)
      running.remove(exchange)
    }
  }
  const date = new HttpDate(options.clock ?? systemClock)
  const onHttp1Request = (message: IncomingMessage, response: ServerResponse): void => {
    const connection = connections.http1Of(message.socket)
    const { holding } = connection
    response.once('close', () => connection.finish())
    connection.take(() => {
      if (isMalformed(message)) {
        connection.leave()
        return void response.writeHead(400, { 'content-type': PLAIN, connection: 'close' }).end(BAD_REQUEST)
      }
      const remote = connections.remoteOf(connection, 'http/1.1')
      const exchange = begin(requestOf(message, holding), remote, 'plain')
      response.once('close', serve(exchange, new Http1Response(response, connection, date)))
    })
  }
  const onHttp2Request = (stream: Http2Stream, session: Http2Session): void => {
    const { head } = stream
    if (head.target === undefined) return stream.whole(405, {}, undefined)
    if (head.headers['expect'] === '100-continue') stream.continue()
    const exchange = begin(stream, connections.remoteOf(session, 'h2'), 'plain')
    stream.whenClosed(serve(exchange, stream))
  }
  const onUpgrade = (message: IncomingMessage, socket: Duplex, head: Buffer): void => {
    if (isMalformed(message)) return refuse(socket, BAD_REQUEST)
    const transport = isWebSocketUpgrade(message) ? 'websocket' : 'plain'
    const connection = connections.http1Of(message.socket)
    if (!connection.takeUpgrade()) return
    const { holding } = connection
    const remote = connections.remoteOf(connection, 'http/1.1')
    const exchange = begin(requestOf(message, holding), remote, transport)
    socket.once('close', () => {
      exchange.closed(false)
      running.remove(exchange)
    })
    void upgrade(exchange, { message, socket, head, holding, date, delivery: parts.delivery }, parts)
  }
  const onContinue = (message: IncomingMessage, response: ServerResponse): void => {
    if (!isMalformed(message)) response.writeContinue()
    onHttp1Request(message, response)
  }
  const http1 = openHttp1(limits).on('request', onHttp1Request).on('checkContinue', onContinue).on('upgrade', onUpgrade)
  const sessionOptions: SessionOptions = {
    maxStreams: options.maxStreamsPerConnection,
    maxHeaderBytes: MAX_HEADER_BYTES,
    limits,
    memory,
    turns: new RequestTurns(),
    buffers: new OutboxBuffers(),
    date,
    readSocket: options.readSocket ?? readInPlace,
    onRequest: onHttp2Request,
    onFault: (error) => options.log.error({ err: error }, 'connection closed after an internal error'),
    onEnd,
  }
  tls.on('secureConnection', (socket) => {
    if (socket.alpnProtocol === 'h2') return connections.add(new Http2Session(socket, sessionOptions))
    connections.add(new Http1Connection(socket, { memory, limits, onEnd }))
    http1.emit('connection', socket)
  })
  const inProcess = new Set<InProcessConnection>()
  const { sockets } = options
  sockets?.take((socket) => void tcp.emit('connection', socket))
  const address = sockets ?? (await listenAt(tcp, options))
  tcp.on('error', (error) => options.log.error({ err: error }, 'failed to accept a connection'))
  return {
    host: address.host,
    port: address.port,
    get requestCount() {
      return running.total
    },
    connect() {
      const authority = `${address.host}:${address.port}`
      const serveHere = (stream: InProcessStream, remote: RemoteEnd): (() => void) =>
        serve(begin(stream, remote, 'plain'), stream)
      const onClosed = (): void => void inProcess.delete(connection)
      const connection = new InProcessConnection({ authority, date, serve: serveHere, onClosed })
      inProcess.add(connection)
      return connection
    },
    renew: (renewal) => renewTls(tls, options, renewal),
    drain: () => connections.drain(),
    async close(graceMs, { keepListening = false, endLongOnesOverMs = 0 } = {}) {
      if (!keepListening) tcp.close()
      connections.drain({ newcomers: !keepListening })
      await running.endLongOnes(endLongOnesOverMs)
      await running.whenNone(graceMs)
      if (keepListening) tcp.close()
      for (const connection of inProcess) connection.close()
      await connections.close()
    },
  }
}

interface AnswerOptions extends ListenerOptions {
  readonly delivery: Delivery
}

async function answer(exchange: Exchange, raw: WireResponse, options: AnswerOptions): Promise<void> {
  let status = 0
  let sentBytes = 0
  const send = (response: HttpResponse): MaybePromise<void> => {
    status = response.status
    if (exchange.responder.isSentAway) raw.leave()
    return whenKnown(respond(raw, response, { exchange, delivery: options.delivery }), (bytes) => {
      sentBytes = bytes
    })
  }
  exchange.onDeadline = () => {
    if (raw.headersSent) raw.breakOff()
    else void send(timeoutAnswer())
  }
  exchange.onOverdue = () => raw.breakOff()
  exchange.progress = raw
  try {
    const response = await options.handler(exchange)
    exchange.resume()
    // If the headers are sent, the deadline has passed, and the request was answered already.
    const sending = raw.headersSent ? undefined : send(response)
    if (sending !== undefined) await sending
  } catch (error) {
    logBroken(options.log, exchange, error)
    raw.breakOff()
  }
  options.observe(finished(exchange, { status, sentBytes }))
}

async function upgrade(exchange: Exchange, wanted: Upgrade, options: ListenerOptions): Promise<void> {
  let outcome: UpgradeOutcome = { status: 0, sentBytes: 0 }
  exchange.onOverdue = () => wanted.socket.destroy()
  try {
    outcome = await answerUpgrade(wanted, await options.handler(exchange), exchange)
  } catch (error) {
    logBroken(options.log, exchange, error)
    wanted.socket.destroy()
  }
  options.observe(finished(exchange, outcome))
}

function finished(exchange: Exchange, { status, sentBytes }: UpgradeOutcome): FinishedRequest {
  const { user, isAuthorized } = exchange.responder
  const milliseconds = performance.now() - exchange.receivedAt
  return { request: exchange, user, isAuthorized, status, sentBytes, milliseconds }
}

function logBroken(log: Log, { signal, auditId, path }: Exchange, error: unknown): void {
  if (signal.reason instanceof ClientGoneError) return
  // A passed deadline is not an error of the server: the client requested little time, or took too long to read.
  const isLate = signal.reason instanceof DeadlineError
  log[isLate ? 'info' : 'error']({ err: isLate ? signal.reason : error, auditId, path }, 'response aborted')
}

/** Answers bytes that are not HTTP in plain text if the socket is still writable, and closes the connection (P-231). */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!/^(HPE|ERR_HTTP)_/.test(error.code ?? '') || !socket.writable) return void socket.destroy()
  refuse(socket, error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : BAD_REQUEST)
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nContent-Type: ${PLAIN}\r\nConnection: close\r\n\r\n${status}`, () =>
    socket.destroy(),
  )
}

/**
 * Whether a request that Node accepts is malformed, for one of these reasons: Its version of HTTP is not 1. It has several hosts, or an
 * invalid host. Its target in absolute form (RFC 9112, section 3.2.2) names another host than the header. It has several transfer codings,
 * which other servers may not know, or has one in HTTP/1.0.
 */
function isMalformed({ httpVersion, httpVersionMajor, headers, rawHeaders, url = '' }: IncomingMessage): boolean {
  const { 'transfer-encoding': coding } = headers
  if (coding !== undefined && (coding.includes(',') || httpVersion === '1.0')) return true
  const named = ABSOLUTE_FORM.exec(url)?.[1] ?? headers.host ?? ''
  // A client of HTTP/1.0 may send no `Host` header.
  const { host = named } = headers
  if (named.toLowerCase() !== host.toLowerCase()) return true
  const hosts = rawHeaders.filter((text, at) => at % 2 === 0 && text.length === 4 && text.toLowerCase() === 'host')
  return httpVersionMajor !== 1 || hosts.length > 1 || !isAuthority(host)
}

function openHttp1({ idleMs: keepAliveTimeout }: ConnectionLimits): HttpServer {
  return createHttpServer({ maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout })
    .on('clientError', refuseUnreadable)
    .on('connect', (_message, socket) => refuse(socket, '405 Method Not Allowed'))
}

const ABSOLUTE_FORM = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i
const PLAIN = 'text/plain; charset=utf-8'
const BAD_REQUEST = '400 Bad Request'
/** The size of all headers of a request together. */
const MAX_HEADER_BYTES = 64 * 1024
const UNLIMITED: UnfinishedLimits = { perConnectionBytes: Infinity, totalBytes: Infinity }
