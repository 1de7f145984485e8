// The TLS server of the listener: its certificates, which can be renewed while it runs, and the rules of its handshakes.
import { constants } from 'node:crypto'
import { createServer, type Server, type TlsOptions } from 'node:tls'

export interface TlsServerOptions {
  readonly tls: TlsFiles
  /** The 48 bytes that seal session tickets, in base64. Absent: Node makes random ones. */
  readonly ticketKeys?: string | undefined
  /** The longest time for a handshake. Most clients give up themselves after ten seconds. */
  readonly handshakeTimeoutMs?: number
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3'
  /** The suites for TLS 1.2, by their names in OpenSSL. */
  readonly ciphers: string
  /** The key exchange groups, by their names in OpenSSL. Undefined: OpenSSL's default. */
  readonly curves?: string | undefined
  /** False: HTTP/1.1 only. */
  readonly http2?: boolean
}

/** In PEM. */
export interface TlsFiles {
  readonly certificate: string
  readonly key: string
  /** Certificates by the requested name. If several match, the last one counts. */
  readonly named?: readonly NamedCertificate[]
  /** The authorities of client certificates. A certificate is trusted if it chains to one of them. */
  readonly clientCa: string | undefined
  /** The authorities of the certificates of front proxies. */
  readonly proxyCa: string | undefined
}

/**
 * Renewed files and ticket keys. With other ticket keys, no client can resume an earlier session. So a full handshake checks each client's
 * certificate again.
 */
export interface TlsRenewal {
  /** Absent: the same as before. */
  readonly files?: TlsFiles | undefined
  readonly ticketKeys: string
}

export interface NamedCertificate {
  /** May have a wildcard for one label. */
  readonly name: string
  readonly certificate: string
  readonly key: string
}

/**
 * TLS sessions belong to a server of this name. Node's default name depends on the command line, so a restart with another flag would lose
 * the sessions.
 */
const SESSION_ID_CONTEXT = 'quarterdeck'

/** A client could request handshakes again and again, and no client of this API needs a renegotiation. */
const NO_RENEGOTIATION = constants.SSL_OP_NO_RENEGOTIATION

export function openTls(options: TlsServerOptions): Server {
  const server = createServer({
    ...contextOf(options),
    ALPNProtocols: options.http2 === false ? ['http/1.1'] : ['h2', 'http/1.1'],
    // Every client may send a certificate. A client with a bad one is not refused here, but answered with 401 (P-020).
    requestCert: true,
    rejectUnauthorized: false,
    handshakeTimeout: handshakeTimeoutOf(options),
  })
  nameCertificates(server, options)
  return server
}

/** Uses other certificates and ticket keys for new connections. */
export function renewTls(server: Server, options: TlsServerOptions, { files, ticketKeys }: TlsRenewal): void {
  if (files === undefined) return server.setTicketKeys(Buffer.from(ticketKeys, 'base64'))
  const renewed = { ...options, tls: files, ticketKeys }
  server.setSecureContext(contextOf(renewed))
  nameCertificates(server, renewed)
}

export function handshakeTimeoutOf({ handshakeTimeoutMs = 10_000 }: TlsServerOptions): number {
  return handshakeTimeoutMs
}

/** Whether the server has authorities by which it can trust a client certificate. */
export function trustsCertificates({ tls }: TlsServerOptions): boolean {
  return authoritiesOf(tls) !== undefined
}

function nameCertificates(server: Server, options: TlsServerOptions): void {
  for (const { name, certificate, key } of options.tls.named ?? []) {
    server.addContext(name, contextOf({ ...options, tls: { ...options.tls, certificate, key } }))
  }
}

function contextOf({ tls, ticketKeys, minVersion, ciphers, curves }: TlsServerOptions): TlsOptions {
  const ca = authoritiesOf(tls)
  const { key, certificate: cert } = tls
  const groups = curves === undefined ? {} : { ecdhCurve: curves }
  const tickets = ticketKeys === undefined ? {} : { ticketKeys: Buffer.from(ticketKeys, 'base64') }
  const sessions = { ...tickets, sessionIdContext: SESSION_ID_CONTEXT, secureOptions: NO_RENEGOTIATION }
  // A configured authority may be an intermediate certificate.
  const context = { key, cert, minVersion, ciphers, ...groups, ...sessions, allowPartialTrustChain: true }
  return ca === undefined ? context : { ...context, ca }
}

function authoritiesOf({ clientCa, proxyCa }: TlsFiles): string | undefined {
  const given = [clientCa, proxyCa].filter((pem) => pem !== undefined)
  return given.length === 0 ? undefined : given.join('\n')
}
