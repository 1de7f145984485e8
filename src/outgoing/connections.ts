// Connections to one other server, kept open between calls. A name is looked up once for each connection, every address is
// checked, and the connection goes to an address that was checked: no second look-up can lead it elsewhere.
import { X509Certificate } from 'node:crypto'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import {
  checkServerIdentity,
  connect as connectTls,
  createSecureContext,
  type PeerCertificate,
  type SecureContext,
  type TLSSocket,
} from 'node:tls'
import { Agent } from '../lib/node-http.ts'
import type { EgressPolicy } from './egress-policy.ts'
import {
  addressFailure,
  connectFailure,
  dialTimeout,
  lookupFailure,
  nameMismatch,
  OutgoingCallError,
  tlsFailure,
} from './failure.ts'

export interface Place {
  readonly host: string
  readonly port: number
}

export interface OutgoingTls {
  /** Authorities in PEM; absent: the authorities that the machine trusts. */
  readonly ca?: string
  /** In PEM. */
  readonly certificate?: string
  readonly key?: string
  /** The name that the certificate must have, if it differs from the name in the URL. */
  readonly serverName?: string
  /** Accept any certificate. For operators' own configuration files only. */
  readonly insecure?: boolean
}

/** All addresses of a name, in order of preference. */
export type Lookup = (host: string) => Promise<readonly { readonly address: string; readonly family: number }[]>

export const systemLookup: Lookup = (host) => process.getBuiltinModule('node:dns/promises').lookup(host, { all: true })

export interface ConnectionRules {
  readonly egress: EgressPolicy
  readonly lookup: Lookup
}

export interface ConnectionTarget {
  readonly place: Place
  /** Absent: no TLS. */
  readonly tls: OutgoingTls | undefined
}

const DIAL_TIMEOUT_MS = 30_000
const IDLE_MS = 90_000
/** The number of idle connections that are kept, as in the reference. Under load, more connections are opened, and closed after use. */
const KEPT_IDLE = 25
const MOST_AT_ONCE = 256

export class OutgoingConnections extends Agent {
  readonly #target: ConnectionTarget
  readonly #rules: ConnectionRules
  readonly #context: SecureContext | undefined
  /** Connections that are being opened. The agent only knows open ones. */
  readonly #opening = new Set<Socket>()
  #isOver = false

  /** Throws `OutgoingCallError` if certificates or keys are not usable. */
  constructor(target: ConnectionTarget, rules: ConnectionRules) {
    super({ keepAlive: true, maxFreeSockets: KEPT_IDLE, maxSockets: MOST_AT_ONCE, timeout: IDLE_MS })
    this.#target = target
    this.#rules = rules
    this.#context = target.tls === undefined ? undefined : secureContext(target.tls)
  }

  /** The agent calls this for a new connection. It keeps the connections to each place apart. */
  override createConnection(options: unknown, callback?: (error: Error | null, stream: Duplex) => void): undefined {
    this.#dial(options as Place).then(
      (socket) => {
        if (this.#isOver) socket.destroy()
        callback?.(null, socket)
      },
      (error: Error) => (callback as ((error: Error) => void) | undefined)?.(error),
    )
    return undefined
  }

  /** Ends idle connections now, and every other connection after its call. */
  retire(): void {
    this.maxFreeSockets = 0
    for (const sockets of Object.values(this.freeSockets)) for (const socket of sockets ?? []) socket.destroy()
  }

  /** Ends all connections, including those that are being opened. */
  override destroy(): void {
    this.#isOver = true
    for (const socket of this.#opening) socket.destroy()
    super.destroy()
  }

  async #dial(place: Place): Promise<Socket> {
    const addresses = await this.#addresses(place)
    const socket = await this.#opened(
      connectTcp({
        host: place.host,
        port: place.port,
        autoSelectFamily: true,
        noDelay: true,
        keepAlive: true,
        lookup: (_host, _options, answer) => answer(null, addresses as { address: string; family: number }[]),
      }),
      { event: 'connect', failure: (cause) => connectFailure(place, cause), timeout: dialTimeout(place) },
    )
    return this.#context === undefined ? socket : this.#secure(socket, this.#context)
  }

  /** The addresses that may be called. Throws if there are none. */
  async #addresses({ host, port }: Place): Promise<readonly { readonly address: string; readonly family: number }[]> {
    const { egress, lookup: find } = this.#rules
    const family = isIP(host)
    const all =
      family === 0
        ? await find(host).catch((cause: unknown) => {
            throw lookupFailure(host, cause)
          })
        : [{ address: host, family }]
    const allowed = all.filter(({ address }) => egress.allows(address))
    const [first] = all
    if (first === undefined) throw lookupFailure(host, { code: 'ENOTFOUND' })
    if (allowed.length === 0) throw addressFailure(first.address, port)
    return allowed
  }

  #secure(socket: Socket, secureContext: SecureContext): Promise<TLSSocket> {
    const { tls, place } = this.#target
    const name = tls?.serverName ?? place.host
    const secured = connectTls({
      socket,
      host: name,
      ...(isIP(name) === 0 ? { servername: name } : {}),
      secureContext,
      ALPNProtocols: ['http/1.1'],
      rejectUnauthorized: tls?.insecure !== true,
      checkServerIdentity: (_host, certificate) => checkNames(name, certificate),
    })
    return this.#opened(secured, { event: 'secureConnect', failure: tlsFailure, timeout: dialTimeout(place) })
  }

  async #opened<S extends Socket>(socket: S, opening: Opening): Promise<S> {
    if (this.#isOver) socket.destroy()
    this.#opening.add(socket)
    try {
      return await opened(socket, opening)
    } finally {
      this.#opening.delete(socket)
    }
  }
}

interface Opening {
  readonly event: 'connect' | 'secureConnect'
  readonly failure: (cause: unknown) => OutgoingCallError
  readonly timeout: OutgoingCallError
}

/** Resolves with the socket when it is ready. A socket that fails is closed. */
function opened<S extends Socket>(socket: S, { event, failure, timeout }: Opening): Promise<S> {
  return new Promise((resolve, reject) => {
    const fail = (error: OutgoingCallError): void => {
      settle()
      // Only the first error counts.
      socket.on('error', () => {})
      socket.destroy()
      reject(error)
    }
    const onReady = (): void => {
      settle()
      resolve(socket)
    }
    const onError = (cause: unknown): void => fail(failure(cause))
    const onClose = (): void => fail(failure({ code: 'ECONNRESET' }))
    const timer = setTimeout(() => fail(timeout), DIAL_TIMEOUT_MS)
    const settle = (): void => {
      clearTimeout(timer)
      socket.off(event, onReady).off('error', onError).off('close', onClose)
    }
    socket.once(event, onReady).once('error', onError).once('close', onClose)
  })
}

function checkNames(name: string, certificate: PeerCertificate): Error | undefined {
  const alternatives = certificate.subjectaltname ?? ''
  if (alternatives === '') return nameMismatch(name, '')
  return checkServerIdentity(name, certificate) === undefined ? undefined : nameMismatch(name, alternatives)
}

function secureContext({ ca, certificate, key }: OutgoingTls): SecureContext {
  if (ca !== undefined) checkAuthorities(ca)
  try {
    return createSecureContext({
      minVersion: 'TLSv1.2',
      ...(ca === undefined ? {} : { ca }),
      ...(certificate === undefined ? {} : { cert: certificate }),
      ...(key === undefined ? {} : { key }),
    })
  } catch (cause) {
    throw new OutgoingCallError('settings', 'tls: failed to find any PEM data in certificate input', { cause })
  }
}

/**
 * Throws if the bundle has no valid certificate. Node would treat it as empty, and every call would fail as if the other side had a wrong
 * certificate.
 */
function checkAuthorities(ca: string): void {
  const blocks = ca.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
  if (blocks.length > 0 && blocks.every(isCertificate)) return
  throw new OutgoingCallError('settings', 'unable to load root certificates: unable to parse bytes as PEM block')
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}
