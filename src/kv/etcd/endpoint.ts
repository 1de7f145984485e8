// One member of the cluster and its connection, which is opened on demand and again after a loss. A call is sent once. The callers decide
// about retries.
import { Backoff } from '../../lib/backoff.ts'
import { CancelledError } from '../../lib/errors.ts'
import { Connection } from '../../wire/http2-client-connection.ts'
import { WATCH, type WatchRequest, type WatchResponse } from '../gen/rpc.ts'
import { decode, encode, type Given, type Rpc } from '../rpc.ts'
import { type Dial, Dialer, type EtcdTls } from './dialer.ts'
import {
  type CallEnd,
  GrpcCall,
  STATUS_CANCELLED,
  STATUS_DEADLINE_EXCEEDED,
  STATUS_INTERNAL,
  STATUS_OK,
  timeoutHeader,
} from '../../wire/grpc-call.ts'
import { PREFIX_BYTES } from '../../wire/grpc-messages.ts'
import { literal, POST, SCHEME_HTTP, SCHEME_HTTPS } from '../../wire/hpack.ts'
import { RpcError, UntouchedError } from './verdict.ts'
import { StreamCall } from './stream-call.ts'

export interface CallOptions {
  readonly timeoutMs: number
  readonly headers: CallHeaders
  readonly signal: AbortSignal
  readonly metadata?: Metadata | undefined
  /** Called once if there is no answer after `LATE_MS`. May end the call. */
  readonly onLate?: (call: GrpcCall) => void
}

/** A working member answers much sooner, even on a slow disk. An election takes one to two seconds. */
export const LATE_MS = 1_000

/** Additional headers. Their names are in lower case. */
export type Metadata = Readonly<Record<string, string>>

/** Headers that many calls share. They are compared by identity. */
export interface CallHeaders {
  readonly token?: string
}

/** `failing`: the last attempt to connect failed. While calls wait, the next attempt follows by itself. */
export type EndpointState = 'ready' | 'connecting' | 'failing'

export function callHeaders(token: string | undefined): CallHeaders {
  return token === undefined ? {} : { token }
}

/** The wait between two attempts to connect, and between two attempts of a call. */
export const RECONNECT = Object.freeze({ firstMs: 100, longestMs: 2_000 })

export type WatchCall = StreamCall<WatchRequest, WatchResponse>

export class Endpoint {
  /** The URL as the operator wrote it. */
  readonly url: string
  /** False after the member has refused the call for range streams. A new connection sets it to true: the member may have been upgraded. */
  streamsRanges = true
  readonly dialer: Dialer
  /** Used instead of the dialer's sockets. */
  readonly given: Dial | undefined
  /** There is no other member to ask instead. */
  readonly #isAlone: boolean
  /** Called at the next change of state. */
  readonly #waiting = new Set<() => void>()
  /** All open connections. Besides the current connection, there may be older ones that only finish their calls. */
  readonly #connections = new Set<Connection>()
  #connection: Connection | undefined
  #hasStood = false
  #isFailing = false
  readonly #backoff = new Backoff(RECONNECT)
  /** The time of the next attempt to connect, by `performance.now()`. */
  #dialAt = 0
  #redial: NodeJS.Timeout | undefined
  #isClosed = false
  /** Header blocks by path, for calls with the headers `#blocksOf`. */
  readonly #blocks = new Map<string, { readonly timeoutMs: number | undefined; readonly block: Buffer }>()
  #blocksOf: CallHeaders | undefined

  /** Throws `KvError` if the address or the certificates are invalid. Connects at the first use. */
  constructor(url: string, tls: EtcdTls | undefined, isAlone = true, dial?: Dial) {
    this.url = url
    this.given = dial
    this.#isAlone = isAlone
    this.dialer = new Dialer(url, tls)
  }

  get isReady(): boolean {
    return this.#connection?.state === 'open'
  }

  /** The state of the connection. Starts to connect if there is no connection. */
  connect(): EndpointState {
    if (this.isReady) return 'ready'
    if (this.#connection === undefined && performance.now() >= this.#dialAt) this.#dial()
    return this.#isFailing ? 'failing' : 'connecting'
  }

  /** Calls back once: when the connection's state changes, or after `limitMs`. */
  onChange(limitMs: number, callback: () => void): void {
    const settle = (): void => {
      clearTimeout(limit)
      this.#waiting.delete(settle)
      callback()
    }
    const limit = setTimeout(settle, limitMs)
    this.#waiting.add(settle)
  }

  /** Throws `RpcError`, or `CancelledError` when the signal fires. The call may have been carried out even then. */
  unary<Request, Response>(
    { path, request: sent, response: expected }: Rpc<Request, Response>,
    request: Given<Request>,
    { timeoutMs, headers, signal, metadata, onLate }: CallOptions,
  ): Promise<Response> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new CancelledError(signal.reason))
      let answer: Buffer | undefined
      const bytes = encode(sent, request, PREFIX_BYTES)
      const block = this.#block(path, headers, timeoutMs)
      const call = new GrpcCall(this.#standing(), metadata === undefined ? block : withMetadata(block, metadata), {
        onMessage: (message) => {
          answer = message
        },
        onEnd: (end) => {
          clearTimeout(limit)
          signal.removeEventListener('abort', onAbort)
          if (signal.aborted) return reject(new CancelledError(signal.reason))
          if (end.status !== STATUS_OK) return reject(this.#rpcError(end))
          try {
            if (answer === undefined) throw new RangeError('it is missing')
            resolve(decode(expected, answer))
          } catch (error) {
            const message = `the answer cannot be read: ${(error as Error).message}`
            reject(new RpcError(STATUS_INTERNAL, message, this.url))
          }
        },
      })
      const onAbort = (): void => call.cancel(STATUS_CANCELLED, 'given up')
      const expire = (): void => call.cancel(STATUS_DEADLINE_EXCEEDED, `no answer within ${Math.ceil(timeoutMs)} ms`)
      const late = (): void => {
        limit = setTimeout(expire, timeoutMs - LATE_MS)
        this.check()
        onLate?.(call)
      }
      let limit = timeoutMs > LATE_MS ? setTimeout(late, LATE_MS) : setTimeout(expire, timeoutMs)
      signal.addEventListener('abort', onAbort)
      call.send(bytes, true)
    })
  }

  /** Call this if an answer is late. Closes the connection to a member that does not answer a ping either. */
  check(): void {
    if (!this.#isAlone) this.#connection?.check(LATE_MS)
  }

  openWatch(headers: CallHeaders): WatchCall {
    return this.openStream(WATCH, headers)
  }

  openStream<Request, Response>(rpc: Rpc<Request, Response>, headers: CallHeaders): StreamCall<Request, Response> {
    const line = { connection: this.#standing(), headers: this.#block(rpc.path, headers) }
    return new StreamCall(rpc, line, (end) => this.#rpcError(end))
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#redial)
    for (const connection of this.#connections) connection.close()
  }

  #rpcError({ status, message, untouched }: CallEnd): RpcError {
    return new (untouched ? UntouchedError : RpcError)(status, message, this.url)
  }

  /** The header block of a call, usually the same as for the last call to the same method. */
  #block(path: string, headers: CallHeaders, timeoutMs?: number): Buffer {
    if (this.#blocksOf !== headers) this.#blocks.clear()
    this.#blocksOf = headers
    const known = this.#blocks.get(path)
    if (known !== undefined && known.timeoutMs === timeoutMs) return known.block
    const block = Buffer.concat([
      Buffer.of(POST, this.dialer.secure ? SCHEME_HTTPS : SCHEME_HTTP),
      literal(':path', path),
      literal(':authority', this.dialer.authority),
      literal('content-type', 'application/grpc'),
      literal('te', 'trailers'),
      literal('user-agent', 'quarterdeck'),
      // With this header, a member that has lost its leader fails the call instead of waiting.
      literal('hasleader', 'true'),
      ...(headers.token === undefined ? [] : [literal('token', headers.token)]),
      ...(timeoutMs === undefined ? [] : [timeoutHeader(timeoutMs)]),
    ])
    this.#blocks.set(path, { timeoutMs, block })
    return block
  }

  /** Returns the current connection, or a new one. Calls wait until it is open. */
  #standing(): Connection {
    return this.#connection ?? this.#dial()
  }

  #dial(): Connection {
    clearTimeout(this.#redial)
    this.#hasStood = false
    this.streamsRanges = true
    const connection: Connection = new Connection(
      (onRead) => this.given?.(this.url, onRead) ?? this.dialer.dial(onRead),
      () => this.#onState(connection),
    )
    this.#connection = connection
    this.#connections.add(connection)
    if (this.#isClosed) connection.close()
    return connection
  }

  #onState(connection: Connection): void {
    const { state } = connection
    if (state === 'closed') this.#connections.delete(connection)
    if (this.#connection !== connection) return
    if (state === 'open') {
      this.#hasStood = true
      this.#isFailing = false
      this.#backoff.reset()
    } else {
      this.#connection = undefined
      if (!this.#hasStood) this.#fail()
    }
    for (const settle of this.#waiting) settle()
  }

  /** Schedules the next attempt, which is made only if a call waits for it. */
  #fail(): void {
    this.#isFailing = true
    if (this.#isClosed) return
    const delayMs = this.#backoff.nextDelayMs()
    this.#dialAt = performance.now() + delayMs
    this.#redial = setTimeout(() => {
      if (this.#connection === undefined && this.#waiting.size > 0) this.#dial()
    }, delayMs).unref()
  }
}

function withMetadata(block: Buffer, metadata: Metadata): Buffer {
  return Buffer.concat([block, ...Object.entries(metadata).map(([name, value]) => literal(name, value))])
}
