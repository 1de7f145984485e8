// The address of a member and how its socket is made: plain, or TLS with the configured certificates.
import { X509Certificate } from 'node:crypto'
import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectSecure, createSecureContext, type SecureContext } from 'node:tls'
import { KvError } from '../kv.ts'

/** PEM. A key and a certificate go together. */
export interface EtcdTls {
  /** Absent: the authorities that Node trusts. */
  readonly ca?: string
  readonly certificate?: string
  readonly key?: string
}

const READ_BYTES = 1 << 16

export class Dialer {
  readonly host: string
  readonly port: number
  readonly #context: SecureContext | undefined

  /** Throws `KvError`: `unavailable` where the address is none, `denied` where the certificates are none. */
  constructor(url: string, tls: EtcdTls | undefined) {
    const { host, port, secure } = parseEndpoint(url, tls?.ca !== undefined || tls?.certificate !== undefined)
    this.host = host
    this.port = port
    this.#context = secure ? secureContext(tls ?? {}) : undefined
  }

  get secure(): boolean {
    return this.#context !== undefined
  }

  /** As it stands in a URL. */
  get authority(): string {
    return `${isIP(this.host) === 6 ? `[${this.host}]` : this.host}:${this.port}`
  }

  /** A socket on its way to being connected. What it reads is shown to `onRead`, and gone after that. */
  dial(onRead: (chunk: Buffer) => void): Socket {
    const { host, port } = this
    // A new buffer for each read would keep the garbage collector busier than all the calls that are read.
    const buffer = Buffer.allocUnsafeSlow(READ_BYTES)
    const callback = (size: number): boolean => {
      onRead(buffer.subarray(0, size))
      return true
    }
    const onread = { buffer, callback }
    if (this.#context === undefined) return connectPlain({ host, port, noDelay: true, onread })
    // TLS knows no address as the name of a server.
    const name = isIP(host) === 0 ? { servername: host } : {}
    const options = { host, port, ...name, secureContext: this.#context, ALPNProtocols: ['h2'], onread }
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
    // Node passes over an authority that it cannot read, and then trusts nobody.
    for (const pem of [ca, cert]) if (pem !== undefined) void new X509Certificate(pem)
    return createSecureContext(definedOnly({ ca, cert, key }))
  } catch (error) {
    throw new KvError('denied', `invalid client certificate or CA for etcd: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

export function definedOnly<T extends object>(record: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as never
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
