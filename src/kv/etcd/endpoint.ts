// One member of the cluster, as a gRPC channel: the only file that knows which package speaks gRPC. A call made here is made
// once; what to do about a failure is decided above.
import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { checkServerIdentity } from 'node:tls'
import { ChannelCredentials, Client, type ClientDuplexStream, connectivityState, Metadata } from '@grpc/grpc-js'
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
  readonly #client: Client

  /** Throws `KvError` `unavailable` where the address is none. Connects when it is first asked to. */
  constructor(url: string, tls: EtcdTls | undefined) {
    this.url = url
    const { host, port, secure } = parseEndpoint(url, tls !== undefined)
    this.host = host
    this.port = port
    this.secure = secure
    const credentials = secure ? secureCredentials(host, tls ?? {}) : ChannelCredentials.createInsecure()
    const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
    // gRPC would send an address as the name of the server, which TLS forbids and Node warns of.
    const name = isIP(host) === 0 ? {} : { 'grpc.ssl_target_name_override': 'localhost' }
    this.#client = new Client(address, credentials, { ...CHANNEL_OPTIONS, ...name })
  }

  get isReady(): boolean {
    return this.#client.getChannel().getConnectivityState(false) === connectivityState.READY
  }

  /** Tells how the connection is doing, and sets out to make one where there is none. */
  connect(): ConnectionState {
    const state = this.#client.getChannel().getConnectivityState(true)
    if (state === connectivityState.READY) return 'ready'
    return state === connectivityState.TRANSIENT_FAILURE ? 'failing' : 'connecting'
  }

  /** Calls back once: when the connection's state changes, or after `limitMs`. */
  onChange(limitMs: number, callback: () => void): void {
    const channel = this.#client.getChannel()
    channel.watchConnectivityState(channel.getConnectivityState(false), Date.now() + limitMs, callback)
  }

  /** Throws `RpcError`, or `CancelledError` when the signal fires: then it may have been carried out all the same. */
  unary<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    { timeoutMs, headers, signal }: CallOptions,
  ): Promise<Response> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new CancelledError(signal.reason))
      const onAbort = (): void => call.cancel()
      const call = this.#client.makeUnaryRequest(
        method.path,
        method.serialize,
        method.deserialize,
        request,
        headers,
        { deadline: Date.now() + timeoutMs },
        (error, response) => {
          signal.removeEventListener('abort', onAbort)
          if (error === null && response !== undefined) resolve(response)
          else if (signal.aborted) reject(new CancelledError(signal.reason))
          else reject(this.#rpcError(error))
        },
      )
      signal.addEventListener('abort', onAbort)
    })
  }

  openWatch(headers: CallHeaders): WatchCall {
    const { path, serialize, deserialize } = WATCH
    const stream = this.#client.makeBidiStreamRequest(path, serialize, deserialize, headers)
    return new WatchCall(stream, (error) => this.#rpcError(error))
  }

  close(): void {
    this.#client.close()
  }

  #rpcError(error: { readonly code?: number; readonly details?: string; readonly message?: string } | null): RpcError {
    return new RpcError(error?.code ?? 2, error?.details ?? error?.message ?? 'no answer', this.url)
  }
}

/**
 * One stream of watch responses. It is read by pulling: while nobody does, at most some sixteen responses wait here, then
 * HTTP/2's window fills up, and etcd keeps the rest.
 */
export class WatchCall {
  readonly #stream: ClientDuplexStream<WatchRequestMessage, WatchResponse>
  #end: RpcError | undefined
  #wake: (() => void) | undefined

  constructor(
    stream: ClientDuplexStream<WatchRequestMessage, WatchResponse>,
    toRpcError: (error: { code?: number; details?: string } | null) => RpcError,
  ) {
    this.#stream = stream
    const wake = (): void => this.#wake?.()
    stream.on('readable', wake)
    stream.on('error', (error: { code?: number; details?: string }) => {
      this.#end ??= toRpcError(error)
      wake()
    })
    stream.on('end', () => {
      this.#end ??= toRpcError({ code: 14, details: 'the stream ended' })
      wake()
    })
  }

  send(message: WatchRequestMessage): void {
    this.#stream.write(message)
  }

  /** The next response that is here already. */
  read(): WatchResponse | undefined {
    return this.#stream.read() ?? undefined
  }

  /** Resolves when there may be something to read. Throws `RpcError` where the stream has ended and nothing is left. */
  readable(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        if (!signal.aborted && this.#end === undefined && this.#stream.readableLength === 0) return
        this.#wake = undefined
        signal.removeEventListener('abort', settle)
        if (signal.aborted) reject(new CancelledError(signal.reason))
        else if (this.#stream.readableLength > 0) resolve()
        else reject(this.#end!)
      }
      this.#wake = settle
      signal.addEventListener('abort', settle)
      settle()
    })
  }

  cancel(): void {
    this.#stream.cancel()
  }
}

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
