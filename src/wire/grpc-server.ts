// Listens for gRPC calls over HTTP/2: on a TCP port, with TLS or without, or on a Unix socket. Closing the server ends the open calls.
import { constants } from 'node:crypto'
import { once } from 'node:events'
import { chmod, lstat, unlink } from 'node:fs/promises'
import { connect, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type SecureContextOptions, Server as TlsServer } from 'node:tls'
import { systemClock } from '../lib/clock.ts'
import { readInPlace, type ReadSocket } from '../lib/runtime/read-socket.ts'
import { CHECK_EVERY_MS, CONNECTION_LIMITS, type ConnectionLimits } from './connection-limits.ts'
import { OutboxBuffers } from './frame-outbox.ts'
import { GrpcServerCall } from './grpc-server-call.ts'
import { HttpDate } from './http-date.ts'
import { Http2Session, type SessionOptions } from './http2-server-session.ts'
import type { Http2Stream } from './http2-server-stream.ts'
import { RequestTurns } from './request-turns.ts'
import { UnfinishedMemory } from './unfinished-memory.ts'

export type GrpcAddress =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  /** A socket file that only the owner of this process can open. */
  | { readonly kind: 'unix'; readonly path: string }

/** In PEM. */
export interface GrpcTls {
  readonly certificate: string
  readonly key: string
  /** Clients must have a certificate of one of these authorities. Undefined: they need no certificate. */
  readonly clientCa: string | undefined
}

export interface GrpcServerOptions {
  readonly address: GrpcAddress
  readonly tls: GrpcTls | undefined
  readonly maxMessageBytes: number
  readonly onCall: (path: string, call: GrpcServerCall) => void
  /** Called for a fault of this server. */
  readonly onFault: (error: unknown) => void
}

export interface GrpcServer {
  /** The bound address, with the real port. */
  readonly address: GrpcAddress
  /** Changes the certificate for new connections. If the key does not fit, it throws and changes nothing. */
  renew(tls: GrpcTls): void
  /** Takes no more calls and ends the open ones with this status. */
  close(status: number, message: string): Promise<void>
}

/** No limit for idle connections, because clients keep them. The kernel detects a client that is gone. */
const LIMITS: ConnectionLimits = Object.freeze({ ...CONNECTION_LIMITS, idleMs: Number.POSITIVE_INFINITY })
const MAX_STREAMS = 10_000
const MAX_HEADER_BYTES = 64 * 1024
/** No limits: a large answer is written as its client reads it, and a stalled connection is ended. */
const UNFINISHED = Object.freeze({ perConnectionBytes: Infinity, totalBytes: Infinity })
/** The time for clients to get the last status. */
const GOODBYE_MS = 2000
const SOCKET_OPTIONS = Object.freeze({ keepAlive: true, keepAliveInitialDelay: 30_000, noDelay: true })

type SessionParts = Pick<GrpcServerOptions, 'maxMessageBytes' | 'onCall' | 'onFault'>

export interface GrpcSessions {
  /** Call this when a client has connected. */
  onSocket(socket: Socket): void
  /** Call this at intervals. */
  checkLimits(): void
  /** Ends all calls with this status. */
  end(status: number, message: string): void
}

/** Serves gRPC clients over any transport. */
export function openGrpcSessions(options: SessionParts, readSocket: ReadSocket = readInPlace): GrpcSessions {
  const sessions = new Set<Http2Session>()
  const calls = new Set<GrpcServerCall>()
  const onRequest = (stream: Http2Stream): void => {
    const { method, target, headers } = stream.head
    if (method !== 'POST' || target === undefined) return stream.whole(405, {}, undefined)
    if (headers['content-type']?.startsWith('application/grpc') !== true) return stream.whole(415, {}, undefined)
    const call = new GrpcServerCall(stream, options.maxMessageBytes)
    calls.add(call)
    call.signal.addEventListener('abort', () => calls.delete(call), { once: true })
    options.onCall(target, call)
  }
  const sessionOptions: SessionOptions = {
    maxStreams: MAX_STREAMS,
    maxHeaderBytes: MAX_HEADER_BYTES,
    limits: LIMITS,
    memory: new UnfinishedMemory(UNFINISHED, { bytes: { value: 0 }, resets: { value: 0 } }),
    turns: new RequestTurns(),
    buffers: new OutboxBuffers(),
    date: new HttpDate(systemClock),
    readSocket,
    onRequest,
    onFault: options.onFault,
    onEnd: () => undefined,
  }
  return {
    onSocket(socket) {
      const session = new Http2Session(socket, sessionOptions)
      sessions.add(session)
      socket.once('close', () => sessions.delete(session))
    },
    checkLimits() {
      const now = performance.now()
      for (const session of sessions) session.checkLimits(now)
    },
    end(status, message) {
      for (const call of calls) call.end(status, message)
      for (const session of sessions) session.leave()
    },
  }
}

export async function listenForGrpc(options: GrpcServerOptions): Promise<GrpcServer> {
  const sessions = openGrpcSessions(options)
  const server = openServer(options.tls, (socket) => sessions.onSocket(socket))
  // Includes sockets that are not a session yet, or never become one.
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const address = await bind(server, options.address)
  server.on('error', options.onFault)
  const checking = setInterval(() => sessions.checkLimits(), CHECK_EVERY_MS)
  checking.unref()
  return {
    address,
    renew(tls) {
      if (server instanceof TlsServer) server.setSecureContext(contextOf(tls))
    },
    async close(status, message) {
      const closed = once(server, 'close')
      server.close()
      sessions.end(status, message)
      const goodbye = setTimeout(() => {
        for (const socket of sockets) socket.destroy()
      }, GOODBYE_MS)
      await closed
      clearTimeout(goodbye)
      clearInterval(checking)
    },
  }
}

function openServer(tls: GrpcTls | undefined, onSocket: (socket: Socket) => void): Server {
  if (tls === undefined) return createTcpServer(SOCKET_OPTIONS, onSocket)
  const clients = tls.clientCa === undefined ? {} : { requestCert: true, rejectUnauthorized: true }
  const server = createTlsServer({ ...SOCKET_OPTIONS, ...contextOf(tls), ...clients, ALPNProtocols: ['h2'] }, onSocket)
  return server.on('tlsClientError', (_error, socket) => socket.destroy())
}

function contextOf({ certificate: cert, key, clientCa: ca }: GrpcTls): SecureContextOptions {
  return { cert, key, secureOptions: constants.SSL_OP_NO_RENEGOTIATION, ...(ca === undefined ? {} : { ca }) }
}

async function bind(server: Server, address: GrpcAddress): Promise<GrpcAddress> {
  if (address.kind === 'unix') {
    await removeStaleSocket(address.path)
    server.listen({ path: address.path })
    await once(server, 'listening')
    await chmod(address.path, 0o600)
    return address
  }
  server.listen({ host: address.host, port: address.port })
  await once(server, 'listening')
  const bound = server.address()
  return typeof bound === 'object' && bound !== null ? { ...address, port: bound.port } : address
}

/** Removes the socket of a process that is gone. If a process still listens, the socket stays and listening fails. */
async function removeStaleSocket(path: string): Promise<void> {
  const file = await lstat(path).catch(() => undefined)
  if (file?.isSocket() !== true) return
  const isTaken = await new Promise<boolean>((resolve) => {
    const socket = connect({ path }, () => resolve(true)).on('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
  if (!isTaken) await unlink(path)
}
