// Requests over shared connections: HTTP/2, or HTTP/1.1 if the server chooses it (ALPN) or the URL is `http:`. Invariant: a connection
// without an open request keeps no process alive. Pings find an HTTP/2 connection that went silent.
import type http from 'node:http'
import type http2 from 'node:http2'
import type tls from 'node:tls'
import { ConnectionError } from './errors.ts'
import { settled } from './waiting.ts'

/** The first request loads Node's modules. An `import` of `http` would load a fetch client too. */
const builtin: typeof process.getBuiltinModule = (name: string) => process.getBuiltinModule(name as never)

/** Error codes of HTTP/2. */
const NO_ERROR = 0
const REFUSED_STREAM = 7
const CANCEL = 8

/** A client certificate and its key, as PEM. */
export interface ClientCertificate {
  readonly cert: string
  readonly key: string
}

export interface SocketOptions {
  readonly url: URL
  readonly ca: string | undefined
  /** The name in the server's certificate, if it is not the host of the URL. */
  readonly serverName: string | undefined
  readonly insecure: boolean
  /** The interval at which the client pings a connection in use. It gives up the connection if the last ping has no answer. */
  readonly pingIntervalMs: number
}

export interface OutgoingRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body?: string | undefined
  readonly certificate?: ClientCertificate | undefined
}

export interface IncomingAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: AnswerBody
  /** Whether a body that has ended is complete. */
  readonly isComplete: () => boolean
}

/** Reading throws an error if the connection breaks, or the signal's reason if the signal fires. */
export interface AnswerBody extends AsyncIterable<Uint8Array> {
  readonly readableEnded: boolean
  /** Drops the rest of the answer. */
  destroy(): unknown
}

/** Sends requests. */
export interface Transport {
  /** Resolves with the head of the answer. Throws `ConnectionError`, also if the signal fires. */
  send(request: OutgoingRequest, signal: AbortSignal): Promise<IncomingAnswer>
  /** Requests in flight fail. */
  close(): void
}

const CONNECT_TIMEOUT_MS = 15_000
/** The limit of open streams until the server has sent its limit. */
const FIRST_STREAM_LIMIT = 100
/** With the default of 64 KB a large list would need many round trips. */
const WINDOW_BYTES = 4 * 1024 * 1024

export class Sockets implements Transport {
  readonly #options: SocketOptions
  readonly #sessions = new Set<SharedSession>()
  readonly #closing = new AbortController()
  #dialing: Promise<void> | undefined
  /** Set once the server is known to speak HTTP/1.1 only. */
  #agents: Map<ClientCertificate | undefined, http.Agent> | undefined

  constructor(options: SocketOptions) {
    this.#options = options
    if (options.url.protocol === 'http:') this.#agents = new Map()
  }

  async send(request: OutgoingRequest, signal: AbortSignal): Promise<IncomingAnswer> {
    for (;;) {
      if (this.#closing.signal.aborted) throw new ConnectionError('connecting', 'the client is closed')
      if (this.#agents !== undefined) return this.#sendPlainly(request, this.#agents, signal)
      const free = [...this.#sessions].find((session) => session.takes(request.certificate))
      if (free !== undefined) return free.send(request, signal)
      this.#dialing ??= this.#dial(request.certificate).finally(() => (this.#dialing = undefined))
      await settled(this.#dialing, signal)
    }
  }

  close(): void {
    this.#closing.abort()
    for (const session of this.#sessions) session.destroy()
    for (const agent of this.#agents?.values() ?? []) agent.destroy()
  }

  /** Adds a session, or the agents if the server speaks HTTP/1.1. */
  async #dial(certificate: ClientCertificate | undefined): Promise<void> {
    const { url, pingIntervalMs } = this.#options
    const socket = await this.#connect(certificate)
    if (socket.alpnProtocol !== 'h2') {
      socket.destroy()
      this.#agents ??= new Map()
      return
    }
    const session = new SharedSession(url, socket, { certificate, pingIntervalMs })
    for (const other of this.#sessions) if (other.certificate !== certificate) other.retire()
    this.#sessions.add(session)
    session.onClosed(() => this.#sessions.delete(session))
  }

  #connect(certificate: ClientCertificate | undefined): Promise<tls.TLSSocket> {
    const { url } = this.#options
    return new Promise((resolve, reject) => {
      const socket = builtin('node:tls').connect({
        ...this.#peer(certificate),
        ALPNProtocols: ['h2', 'http/1.1'],
      })
      const fail = (cause: Error): void => {
        settle()
        socket.destroy()
        reject(new ConnectionError('connecting', `cannot connect to ${url.origin}: ${cause.message}`, cause))
      }
      const giveUp = (): void => fail(new Error('the client is closed'))
      const timer = setTimeout(() => fail(new Error(`no answer within ${CONNECT_TIMEOUT_MS} ms`)), CONNECT_TIMEOUT_MS)
      const settle = (): void => {
        clearTimeout(timer)
        this.#closing.signal.removeEventListener('abort', giveUp)
      }
      this.#closing.signal.addEventListener('abort', giveUp)
      socket.on('error', fail)
      socket.once('secureConnect', () => {
        settle()
        socket.off('error', fail)
        resolve(socket)
      })
    })
  }

  #peer(certificate: ClientCertificate | undefined) {
    const { url, ca, serverName, insecure } = this.#options
    const host = url.hostname.replace(/^\[|\]$/g, '')
    return {
      host,
      port: Number(url.port || (url.protocol === 'http:' ? 80 : 443)),
      // SNI takes no addresses.
      ...(serverName !== undefined ? { servername: serverName } : /^[\d.]+$|:/.test(host) ? {} : { servername: host }),
      ...(ca === undefined ? {} : { ca }),
      ...certificate,
      rejectUnauthorized: !insecure,
    }
  }

  #sendPlainly(
    { method, path, headers, body, certificate }: OutgoingRequest,
    agents: Map<ClientCertificate | undefined, http.Agent>,
    signal: AbortSignal,
  ): Promise<IncomingAnswer> {
    const { url } = this.#options
    const isPlain = url.protocol === 'http:'
    const { host, port, ...tls } = this.#peer(certificate)
    const options = { keepAlive: true, ...(isPlain ? {} : tls) }
    const { Agent, request: open } = builtin(isPlain ? 'node:http' : 'node:https')
    const agent = agents.get(certificate) ?? new Agent(options)
    agents.set(certificate, agent)
    const { promise, resolve, reject } = Promise.withResolvers<IncomingAnswer>()
    // The path is sent unchanged. A URL object would remove dot segments from the path, or find another host in it.
    const request = open({ host, port, method, path, headers, agent })
    let answer: http.IncomingMessage | undefined
    const cancel = (): void => {
      answer?.destroy(signal.reason as Error)
      request.destroy(signal.reason as Error)
    }
    request.on('response', (message) => {
      answer = message
      message.on('error', () => undefined)
      const isComplete = (): boolean => message.complete
      resolve({ status: message.statusCode ?? 0, headers: message.headers, body: message, isComplete })
    })
    request.on('error', (cause: NodeJS.ErrnoException) => {
      const phase = ['connect', 'getaddrinfo'].includes(cause.syscall ?? '') ? 'connecting' : 'sent'
      reject(new ConnectionError(phase, `${method} ${path}: ${cause.message}`, cause))
    })
    request.on('close', () => signal.removeEventListener('abort', cancel))
    if (signal.aborted) cancel()
    else signal.addEventListener('abort', cancel, { once: true })
    request.end(body)
    return promise
  }
}

interface SessionOptions {
  readonly certificate: ClientCertificate | undefined
  readonly pingIntervalMs: number
}

/** One HTTP/2 connection and the requests on it. */
class SharedSession {
  readonly #session: http2.ClientHttp2Session
  readonly certificate: ClientCertificate | undefined
  #limit = FIRST_STREAM_LIMIT
  #open = 0

  constructor(url: URL, socket: tls.TLSSocket, { certificate, pingIntervalMs }: SessionOptions) {
    this.certificate = certificate
    const settings = { enablePush: false, initialWindowSize: WINDOW_BYTES }
    this.#session = builtin('node:http2').connect(url, { createConnection: () => socket, settings })
    this.#session.once('connect', () => this.#session.setLocalWindowSize(WINDOW_BYTES))
    // The requests on a broken connection report the error.
    this.#session.on('error', () => undefined)
    this.#session.on('remoteSettings', ({ maxConcurrentStreams }) => (this.#limit = maxConcurrentStreams ?? Infinity))
    this.#session.unref()
    this.#keepAlive(pingIntervalMs)
  }

  /** Whether the session takes another request with this certificate. */
  takes(certificate: ClientCertificate | undefined): boolean {
    const { closed, destroyed } = this.#session
    return !closed && !destroyed && this.#open < this.#limit && this.certificate === certificate
  }

  onClosed(callback: () => void): void {
    this.#session.once('close', callback)
  }

  /** Closes the connection after its last request. */
  retire(): void {
    this.#session.close()
  }

  destroy(): void {
    this.#session.destroy()
  }

  send({ method, path, headers, body }: OutgoingRequest, signal: AbortSignal): Promise<IncomingAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingAnswer>()
    // Without `endStream` Node sends a DELETE without its body.
    const stream = this.#session.request(
      { ':method': method, ':path': path, ...headers },
      { endStream: body === undefined },
    )
    if (this.#open++ === 0) this.#session.ref()
    const cancel = (): void => {
      stream.close(CANCEL)
      stream.destroy(signal.reason as Error)
    }
    let hasAnswer = false
    const fail = (cause?: Error): void => {
      if (hasAnswer) return
      const phase = stream.rstCode === REFUSED_STREAM ? 'refused' : 'sent'
      const what = cause?.message ?? 'the connection was closed before the answer'
      reject(new ConnectionError(phase, `${method} ${path}: ${what}`, cause))
    }
    stream.on('response', (answered) => {
      hasAnswer = true
      const isComplete = (): boolean => stream.rstCode === NO_ERROR && !stream.aborted
      const { ':status': status = 0, ...rest } = answered
      resolve({ status, headers: rest, body: stream, isComplete })
    })
    stream.on('error', fail)
    stream.on('close', () => {
      signal.removeEventListener('abort', cancel)
      if (--this.#open === 0) this.#session.unref()
      fail()
    })
    if (signal.aborted) cancel()
    else signal.addEventListener('abort', cancel, { once: true })
    if (body !== undefined) stream.end(body)
    return promise
  }

  /** Without pings a watch would wait forever for a peer that is gone. */
  #keepAlive(intervalMs: number): void {
    let isAnswered = true
    const timer = setInterval(() => {
      if (this.#open === 0 || this.#session.destroyed) return
      if (!isAnswered) return this.#session.destroy(new Error(`no answer to a ping within ${intervalMs} ms`))
      isAnswered = false
      this.#session.ping(() => (isAnswered = true))
    }, intervalMs)
    timer.unref()
    this.#session.once('close', () => clearInterval(timer))
  }
}
