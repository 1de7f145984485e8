// The reason why an outgoing call failed, in the reference's words, which operators search for.
import { isIP } from 'node:net'
import { messageOf } from '../lib/errors.ts'

export type OutgoingFailureKind =
  /** The target cannot be called: its authority is not a certificate, or its URL is invalid. */
  | 'settings'
  /** The name cannot be resolved. */
  | 'lookup'
  /** The egress policy denies the address. */
  | 'address'
  | 'connect'
  | 'tls'
  | 'deadline'
  /** The connection ended, or the answer is not HTTP. */
  | 'broken'
  /** The head of an answer arrived, but not the rest. */
  | 'cut'
  | 'too-large'
  /** There is an answer, but not a successful one. */
  | 'answer'

export class OutgoingCallError extends Error {
  override readonly name = 'OutgoingCallError'
  readonly kind: OutgoingFailureKind
  /** The code of the answer, if there is one. */
  readonly status: number | undefined

  constructor(kind: OutgoingFailureKind, message: string, options: { status?: number; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.kind = kind
    this.status = options.status
  }

  /** The same failure, with a text about the failed call. */
  within(text: string): OutgoingCallError {
    return new OutgoingCallError(this.kind, text, {
      ...(this.status === undefined ? {} : { status: this.status }),
      cause: this.cause,
    })
  }
}

export const DEADLINE_TEXT = 'context deadline exceeded'

/** The failure of an answer that had begun. */
export function cutFailure(why: string, cause?: unknown): OutgoingCallError {
  const text = `unexpected error when reading response body. Please retry. Original error: ${why}`
  return new OutgoingCallError('cut', text, { cause })
}

/** The failure of a name that cannot be looked up. */
export function lookupFailure(host: string, cause: unknown): OutgoingCallError {
  const code = codeOf(cause)
  const why = code === 'ENOTFOUND' || code === 'ENODATA' ? 'no such host' : 'server misbehaving'
  return new OutgoingCallError('lookup', `dial tcp: lookup ${host}: ${why}`, { cause })
}

export function addressFailure(address: string, port: number): OutgoingCallError {
  return new OutgoingCallError('address', `dial tcp ${hostPort(address, port)}: address not allowed`)
}

const CONNECT_TEXTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  ECONNRESET: 'connect: connection reset by peer',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  EADDRNOTAVAIL: 'connect: cannot assign requested address',
  EACCES: 'connect: permission denied',
  ETIMEDOUT: 'connect: connection timed out',
}

/** The failure of a connection that was not opened. If several addresses were tried, the error of the first one gives the reason. */
export function connectFailure(place: { host: string; port: number }, cause: unknown): OutgoingCallError {
  const first = cause instanceof AggregateError ? cause.errors[0] : cause
  const address = memberOf(first, 'address')
  const at = hostPort(typeof address === 'string' ? address : place.host, place.port)
  const text = CONNECT_TEXTS[codeOf(first)] ?? `connect: ${messageOf(first)}`
  return new OutgoingCallError('connect', `dial tcp ${at}: ${text}`, { cause })
}

export function dialTimeout(place: { host: string; port: number }): OutgoingCallError {
  return new OutgoingCallError('connect', `dial tcp ${hostPort(place.host, place.port)}: i/o timeout`)
}

const UNKNOWN_AUTHORITY: ReadonlySet<string> = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'INVALID_CA',
])

const VERIFY_TEXTS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'x509: certificate has expired or is not yet valid',
  CERT_NOT_YET_VALID: 'x509: certificate has expired or is not yet valid',
  INVALID_PURPOSE: 'x509: certificate specifies an incompatible key usage',
  ERR_TLS_CERT_ALTNAME_INVALID: 'x509: certificate is not valid for the name',
}

/** The failure of an unfinished handshake. */
export function tlsFailure(cause: unknown): OutgoingCallError {
  return new OutgoingCallError('tls', tlsText(codeOf(cause), messageOf(cause)), { cause })
}

function tlsText(code: string, message: string): string {
  if (UNKNOWN_AUTHORITY.has(code)) {
    return 'tls: failed to verify certificate: x509: certificate signed by unknown authority'
  }
  if (code === NAME_MISMATCH) return `tls: failed to verify certificate: ${message}`
  const verify = VERIFY_TEXTS[code]
  if (verify !== undefined) return `tls: failed to verify certificate: ${verify}`
  const alert = /^ERR_SSL_(?:SSL\/)?(?:TLS|SSLV3|TLSV1|TLSV13)_ALERT_(.+)$/.exec(code)?.[1]
  if (alert !== undefined) return `remote error: tls: ${alert.toLowerCase().replaceAll('_', ' ')}`
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG') {
    return 'http: server gave HTTP response to HTTPS client'
  }
  if (code === 'ECONNRESET') return 'EOF'
  return `tls: ${message}`
}

const NAME_MISMATCH = 'QUARTERDECK_NAME_MISMATCH'

/** The error for a certificate with other names. Only its alternative names count, and not its common name. */
export function nameMismatch(wanted: string, alternatives: string): Error {
  const names = (kind: string): readonly string[] =>
    alternatives.split(', ').flatMap((entry) => (entry.startsWith(kind) ? [entry.slice(kind.length)] : []))
  const addresses = names('IP Address:')
  const dns = names('DNS:')
  return Object.assign(new Error(mismatchText(wanted, dns, addresses)), { code: NAME_MISMATCH })
}

function mismatchText(wanted: string, dns: readonly string[], addresses: readonly string[]): string {
  if (isIP(wanted) !== 0) {
    return addresses.length === 0
      ? `x509: cannot validate certificate for ${wanted} because it doesn't contain any IP SANs`
      : `x509: certificate is valid for ${addresses.join(', ')}, not ${wanted}`
  }
  return dns.length === 0
    ? `x509: certificate is not valid for any names, but wanted to match ${wanted}`
    : `x509: certificate is valid for ${dns.join(', ')}, not ${wanted}`
}

/** The failure of a connection that broke before the head of the answer. */
export function brokenFailure(cause: unknown): OutgoingCallError {
  const code = codeOf(cause)
  if (code.startsWith('HPE_')) {
    return new OutgoingCallError('broken', 'net/http: HTTP/1.x transport connection broken: malformed HTTP response', {
      cause,
    })
  }
  if (code.startsWith('ERR_SSL_')) return tlsFailure(cause)
  const hangUp = code === 'ECONNRESET' && messageOf(cause) === 'socket hang up'
  const text = hangUp
    ? 'EOF'
    : code === 'ECONNRESET'
      ? 'read: connection reset by peer'
      : code === 'EPIPE'
        ? 'write: broken pipe'
        : messageOf(cause)
  return new OutgoingCallError('broken', text, { cause })
}

function codeOf(error: unknown): string {
  const code = memberOf(error, 'code')
  return typeof code === 'string' ? code : ''
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function hostPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}
