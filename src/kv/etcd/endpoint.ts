// One member of the cluster, as a gRPC channel: the only file that knows which package speaks gRPC. A call made here is made
// once; what to do about a failure is decided above. Calls are made on the channel itself and not on the package's `Client`,
// whose interceptors, emitters and stack traces take a fifth of the processor time of a call.
import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { checkServerIdentity } from 'node:tls'
import { Channel, ChannelCredentials, connectivityState, Metadata, status } from '@grpc/grpc-js'
import { CancelledError } from '../../lib/errors.ts'
import { KvError } from '../kv.ts'
import { type Method, WATCH, type WatchRequestMessage, type WatchResponse } from './messages.ts'
import { RpcError } from './verdict.ts'

/** PEM. A key and a certificate go together. */
export interface EtcdTls {
  /** Absent: the authorities that Node trusts. */
  readonly ca?: string
  readonly certificate?: string
  readonly key?: string
}

export interface CallOptions {
  readonly timeoutMs: number
  readonly headers: CallHeaders
  readonly signal: AbortSignal
}

/** Headers that many calls share. */
export type CallHeaders = Metadata

/** `failing`: the last attempt to connect failed, the next one comes by itself. */
export type ConnectionState = 'ready' | 'connecting' | 'failing'

const CHANNEL_OPTIONS = Object.freeze({
  // etcd cuts off a client that pings more often than every 5 s, or without a call under way.
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 5_000,
  'grpc.keepalive_permit_without_calls': 0,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 2_000,
  // A list of 500 objects is a few megabytes: with the default of 64 KB it waits for the network 100 times.
  'grpc-node.flow_control_window': 8 << 20,
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  // What may be sent again is ours to say: gRPC does not know what a write is.
  'grpc.enable_retries': 0,
  'grpc.service_config_disable_resolution': 1,
  'grpc.use_local_subchannel_pool': 1,
  'grpc.enable_http_proxy': 0,
  'grpc.enable_channelz': 0,
})

/** A token, where there is one; and that a member which has lost its leader shall say so rather than wait. */
export function callHeaders(token: string | undefined): CallHeaders {
  const headers = new Metadata()
  headers.set('hasleader', 'true')
  if (token !== undefined) headers.set('token', token)
  return headers
}

export class Endpoint {
  /** As the operator wrote it. */
  readonly url: string
  readonly host: string
  readonly port: number
  readonly secure: boolean
  readonly #channel: Channel

  /** Throws `KvError` `unavailable` where the address is none. Connects when it is first asked to. */
  constructor(url: string, tls: EtcdTls | undefined) {
    this.url = url
    const { host, port, secure } = parseEndpoint(url, tls?.ca !== undefined || tls?.certificate !== undefined)
    this.host = host
    this.port = port
    this.secure = secure
    const credentials = secure ? secureCredentials(host, tls ?? {}) : ChannelCredentials.createInsecure()
    const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
    // gRPC would send an address as the name of the server, which TLS forbids and Node warns of.
    const name = isIP(host) === 0 ? {} : { 'grpc.ssl_target_name_override': 'localhost' }
    this.#channel = new Channel(address, credentials, { ...CHANNEL_OPTIONS, ...name })
  }

  get isReady(): boolean {
    return this.#channel.getConnectivityState(false) === connectivityState.READY
  }

  /** Tells how the connection is doing, and sets out to make one where there is none. */
  connect(): ConnectionState {
    const state = this.#channel.getConnectivityState(true)
    if (state === connectivityState.READY) return 'ready'
    return state === connectivityState.TRANSIENT_FAILURE ? 'failing' : 'connecting'
  }

  /** Calls back once: when the connection's state changes, or after `limitMs`. */
  onChange(limitMs: number, callback: () => void): void {
    this.#channel.watchConnectivityState(this.#channel.getConnectivityState(false), Date.now() + limitMs, callback)
  }

  /** Throws `RpcError`, or `CancelledError` when the signal fires: then it may have been carried out all the same. */
  unary<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    { timeoutMs, headers, signal }: CallOptions,
  ): Promise<Response> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new CancelledError(signal.reason))
      const bytes = method.serialize(request)
      const call = this.#channel.createCall(method.path, Date.now() + timeoutMs, null, null, null)
      const onAbort = (): void => call.cancelWithStatus(status.CANCELLED, 'given up')
      let answer: Buffer | undefined
      signal.addEventListener('abort', onAbort)
      call.start(headers, {
        onReceiveMetadata: ignore,
        onReceiveMessage: (message: Buffer) => {
          answer = message
        },
        onReceiveStatus: (end) => {
          signal.removeEventListener('abort', onAbort)
          if (signal.aborted) return reject(new CancelledError(signal.reason))
          if (end.code !== status.OK) return reject(this.#rpcError(end.code, end.details))
          try {
            resolve(method.deserialize(answer!))
          } catch (error) {
            reject(this.#rpcError(status.INTERNAL, `the answer cannot be read: ${(error as Error).message}`))
          }
        },
      })
      call.startRead()
      call.sendMessageWithContext({}, bytes)
      call.halfClose()
    })
  }

  openWatch(headers: CallHeaders): WatchCall {
    const call = this.#channel.createCall(WATCH.path, Infinity, null, null, null)
    return new WatchCall(call, headers, (code, details) => this.#rpcError(code, details))
  }

  close(): void {
    this.#channel.close()
  }

  #rpcError(code: status, details: string): RpcError {
    return new RpcError(code, details, this.url)
  }
}

type RawCall = ReturnType<Channel['createCall']>

/** So many responses wait here to be read; then HTTP/2's window fills up, and etcd keeps the rest. */
const RESPONSES_AHEAD = 4

/** One stream of watch responses. It is read by pulling: what nobody reads is not fetched. */
export class WatchCall {
  readonly #call: RawCall
  readonly #arrived: WatchResponse[] = []
  #isReading = false
  #end: RpcError | undefined
  #wake: (() => void) | undefined

  constructor(call: RawCall, headers: CallHeaders, toRpcError: (code: status, details: string) => RpcError) {
    this.#call = call
    call.start(headers, {
      onReceiveMetadata: ignore,
      onReceiveMessage: (message: Buffer) => {
        this.#isReading = false
        try {
          this.#arrived.push(WATCH.deserialize(message))
          this.#readOn()
        } catch (error) {
          call.cancelWithStatus(status.INTERNAL, `a watch response cannot be read: ${(error as Error).message}`)
        }
        this.#wake?.()
      },
      onReceiveStatus: ({ code, details }) => {
        this.#end = code === status.OK ? toRpcError(status.UNAVAILABLE, 'the stream ended') : toRpcError(code, details)
        this.#wake?.()
      },
    })
    this.#readOn()
  }

  /** The first message may be sent at once, further ones when the first response has come: only one can wait for a stream. */
  send(message: WatchRequestMessage): void {
    this.#call.sendMessageWithContext({}, WATCH.serialize(message))
  }

  /** The next response that is here already. */
  read(): WatchResponse | undefined {
    const response = this.#arrived.shift()
    if (response !== undefined) this.#readOn()
    return response
  }

  /** Resolves when there may be something to read. Throws `RpcError` where the stream has ended and nothing is left. */
  readable(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        if (!signal.aborted && this.#end === undefined && this.#arrived.length === 0) return
        this.#wake = undefined
        signal.removeEventListener('abort', settle)
        if (signal.aborted) reject(new CancelledError(signal.reason))
        else if (this.#arrived.length > 0) resolve()
        else reject(this.#end!)
      }
      this.#wake = settle
      signal.addEventListener('abort', settle)
      settle()
    })
  }

  cancel(): void {
    this.#call.cancelWithStatus(status.CANCELLED, 'given up')
  }

  #readOn(): void {
    if (this.#isReading || this.#arrived.length >= RESPONSES_AHEAD) return
    this.#isReading = true
    this.#call.startRead()
  }
}

function ignore(): void {}

function secureCredentials(host: string, { ca, certificate, key }: EtcdTls): ChannelCredentials {
  const bytes = (pem: string | undefined): Buffer | null => (pem === undefined ? null : Buffer.from(pem))
  try {
    // Node passes over an authority that it cannot read, and then trusts nobody.
    for (const pem of [ca, certificate]) if (pem !== undefined) readCertificate(pem)
    return ChannelCredentials.createSsl(bytes(ca), bytes(key), bytes(certificate), {
      checkServerIdentity: (_, shown) => checkServerIdentity(host, shown),
    })
  } catch (error) {
    throw new KvError('denied', `the certificates for etcd cannot be used: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

/** Throws where it is none. */
function readCertificate(pem: string): X509Certificate {
  return new X509Certificate(pem)
}

/** `http://host:port`, `https://host:port`, or `host:port`, which is secure where there is something to be secure with. */
function parseEndpoint(text: string, hasTls: boolean): { host: string; port: number; secure: boolean } {
  const url = URL.parse(text.includes('://') ? text : `${hasTls ? 'https' : 'http'}://${text}`)
  const port = url === null || url.port !== '' ? Number(url?.port) : url.protocol === 'https:' ? 443 : 80
  const bare = url !== null && ['http:', 'https:'].includes(url.protocol) && url.pathname === '/' && url.search === ''
  if (url === null || !bare || url.username !== '') {
    throw new KvError(
      'unavailable',
      `etcd endpoint ${JSON.stringify(text)} is not http://host:port or https://host:port`,
    )
  }
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port, secure: url.protocol === 'https:' }
}
