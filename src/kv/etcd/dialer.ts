// Parses the address of a member and makes its socket: plain, or TLS with the configured certificates.
import { X509Certificate } from 'node:crypto'
import { connect as connectPlain, isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectSecure, createSecureContext, type SecureContext } from 'node:tls'
import { givenMembers } from '../../lib/given-members.ts'
import { KvError } from '../kv.ts'

/** PEM. A key and a certificate go together. */
export interface EtcdTls {
  /** Absent: the authorities that Node trusts. */
  readonly ca?: string
  readonly certificate?: string
  readonly key?: string
}

/** Replaces sockets in tests. Returns the connection to a member. The connection hands received bytes to `onRead`. */
export type Dial = (url: string, onRead: (chunk: Buffer) => void) => Duplex

/** A port of a host, or a Unix socket. */
type Target = { readonly host: string; readonly port: number } | { readonly path: string }

const READ_BYTES = 1 << 16
const UNIX = 'unix://'

export class Dialer {
  readonly target: Target
  readonly #context: SecureContext | undefined

  /** Throws `KvError`: `unavailable` for an invalid address, `denied` for invalid certificates. */
  constructor(url: string, tls: EtcdTls | undefined) {
    const { target, secure } = parseEndpoint(url, tls?.ca !== undefined || tls?.certificate !== undefined)
    this.target = target
    this.#context = secure ? secureContext(tls ?? {}) : undefined
  }

  get secure(): boolean {
    return this.#context !== undefined
  }

  /** The address in the form of a URL: `host:port`. */
  get authority(): string {
    if ('path' in this.target) return 'localhost'
    const { host, port } = this.target
    return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  }

  /** Returns a socket that is being connected. `onRead` gets the received bytes, which are valid only during the call. */
  dial(onRead: (chunk: Buffer) => void): Socket {
    const { target } = this
    // A new buffer for each read would keep the garbage collector busier than the received messages do.
    const buffer = Buffer.allocUnsafeSlow(READ_BYTES)
    const callback = (size: number): boolean => {
      onRead(buffer.subarray(0, size))
      return true
    }
    const onread = { buffer, callback }
    if (this.#context === undefined) return connectPlain({ ...target, noDelay: true, onread })
    // TLS does not accept an IP address as the name of a server.
    const name = 'host' in target && isIP(target.host) === 0 ? { servername: target.host } : {}
    const options = { ...target, ...name, secureContext: this.#context, ALPNProtocols: ['h2'], onread }
    const socket = connectSecure(options)
    socket.setNoDelay(true)
    socket.once('secureConnect', () => {
      if (socket.alpnProtocol !== 'h2') socket.destroy(new Error('it does not speak HTTP/2'))
    })
    return socket
  }
}

function secureContext({ ca, certificate: cert, key }: EtcdTls): SecureContext {
  try {
    // Node skips an authority that it cannot read, and then trusts no certificate.
    for (const pem of [ca, cert]) if (pem !== undefined) void new X509Certificate(pem)
    return createSecureContext(givenMembers({ ca, cert, key }))
  } catch (error) {
    throw new KvError('denied', `invalid client certificate or CA for etcd: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

/**
 * Accepts `http://host:port`, `https://host:port`, `host:port` and `unix:///path`. `host:port` uses TLS if certificates are configured. A
 * Unix socket needs no TLS.
 */
function parseEndpoint(text: string, hasTls: boolean): { target: Target; secure: boolean } {
  if (text.startsWith(`${UNIX}/`)) return { target: { path: text.slice(UNIX.length) }, secure: false }
  const url = URL.parse(text.includes('://') ? text : `${hasTls ? 'https' : 'http'}://${text}`)
  const port = url === null || url.port !== '' ? Number(url?.port) : url.protocol === 'https:' ? 443 : 80
  const bare = url !== null && ['http:', 'https:'].includes(url.protocol) && url.pathname === '/' && url.search === ''
  if (url === null || !bare || url.username !== '') {
    throw new KvError(
      'unavailable',
      `etcd endpoint ${JSON.stringify(text)} is not http://host:port, https://host:port or unix:///path`,
    )
  }
  return { target: { host: url.hostname.replace(/^\[|\]$/g, ''), port }, secure: url.protocol === 'https:' }
}
