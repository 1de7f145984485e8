// Finds the reason why a member cannot be reached, for the operator. gRPC reports every reason as "unavailable", so this file dials the
// member once.
import { connect as connectPlain } from 'node:net'
import { connect as connectSecure } from 'node:tls'
import { givenMembers } from '../../lib/given-members.ts'
import type { KvErrorCode } from '../kv.ts'
import type { EtcdTls } from './dialer.ts'
import type { Endpoint } from './endpoint.ts'

export interface Diagnosis {
  readonly code: KvErrorCode
  readonly text: string
}

const DIAL_LIMIT_MS = 2_000

/** The wait for a refusal after the handshake: with TLS 1.3, a server refuses our certificate only then. */
const AFTERTHOUGHT_MS = 300

export async function diagnose(endpoint: Endpoint, tls: EtcdTls | undefined): Promise<Diagnosis> {
  if (endpoint.given !== undefined) return { code: 'unavailable', text: `${endpoint.url}: no answer` }
  const { code, text } = toReason(await dial(endpoint, tls), endpoint.dialer.secure)
  return { code, text: `${endpoint.url}: ${text}` }
}

/** Undefined if the connection was established. */
function dial({ dialer }: Endpoint, tls: EtcdTls | undefined): Promise<NodeJS.ErrnoException | undefined> {
  const { target, secure } = dialer
  return new Promise((resolve) => {
    const { ca, certificate: cert, key } = tls ?? {}
    const socket = secure
      ? connectSecure({ ...target, ALPNProtocols: ['h2'], ...givenMembers({ ca, cert, key }) })
      : connectPlain(target)
    const settle = (error?: NodeJS.ErrnoException): void => {
      clearTimeout(limit)
      socket.destroy()
      resolve(error)
    }
    const tooLong = Object.assign(new Error(`no answer within ${DIAL_LIMIT_MS} ms`), { syscall: 'connect' })
    let limit = setTimeout(() => settle(tooLong), DIAL_LIMIT_MS)
    socket.once('error', settle)
    socket.once('close', () => settle())
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      clearTimeout(limit)
      limit = setTimeout(settle, AFTERTHOUGHT_MS)
    })
  })
}

function toReason(error: NodeJS.ErrnoException | undefined, secure: boolean): Diagnosis {
  if (error === undefined) {
    const other = secure ? 'plain text' : 'TLS (https)'
    return {
      code: 'unavailable',
      text: `accepts connections but does not answer like etcd; it may expect ${other}`,
    }
  }
  const message = error.message.split('\n')[0]!
  if (error.syscall !== undefined) return { code: 'unavailable', text: message }
  if (error.code?.startsWith('ERR_SSL') !== true) {
    return { code: 'denied', text: `its certificate is not trusted (${message})` }
  }
  const refused = error.code.includes('ALERT')
  return refused
    ? { code: 'denied', text: `it rejected our client certificate, or requires one (${error.code})` }
    : { code: 'unavailable', text: `the TLS handshake failed (${error.code})` }
}
