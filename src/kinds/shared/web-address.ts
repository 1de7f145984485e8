// URLs as Go's net/url parses them, with its error messages.
import { quoted } from '../../api/field-error.ts'

export interface WebAddress {
  readonly scheme: string
  readonly host: string
  /** Absent: the URL has no `@` before the host. */
  readonly user?: string
  readonly query: string
  readonly fragment: string
}

export type Parsed =
  | { readonly kind: 'address'; readonly address: WebAddress }
  | { readonly kind: 'fault'; readonly text: string }

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/
const USER = /^[A-Za-z0-9._:~!$&'()*+,;=%@-]*$/
const PORT = /^(?::[0-9]*)?$/
const ESCAPE = /^%[0-9A-Fa-f]{2}/

export function parseWebAddress(text: string): Parsed {
  const hash = text.indexOf('#')
  const whole = hash < 0 ? text : text.slice(0, hash)
  const fragment = hash < 0 ? '' : text.slice(hash + 1)
  const fault = (why: string): Parsed => ({ kind: 'fault', text: `parse ${quoted(whole)}: ${why}` })
  if (hasControl(whole)) return fault('net/url: invalid control character in URL')
  if (whole.startsWith(':')) return fault('missing protocol scheme')
  const scheme = SCHEME.exec(whole)?.[0].slice(0, -1) ?? ''
  const afterScheme = scheme === '' ? whole : whole.slice(scheme.length + 1)
  const mark = afterScheme.indexOf('?')
  const rest = mark < 0 ? afterScheme : afterScheme.slice(0, mark)
  const query = mark < 0 ? '' : afterScheme.slice(mark + 1)
  const parts = { scheme: scheme.toLowerCase(), host: '', query, fragment }
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { kind: 'address', address: parts }
    if ((rest.split('/', 1)[0] ?? '').includes(':')) return fault('first path segment in URL cannot contain colon')
  }
  const hasAuthority = rest.startsWith('//') && (scheme !== '' || !rest.startsWith('///'))
  const slash = hasAuthority ? rest.indexOf('/', 2) : 0
  const authority = hasAuthority ? rest.slice(2, slash < 0 ? rest.length : slash) : ''
  const path = slash < 0 ? '' : rest.slice(slash)
  const at = authority.lastIndexOf('@')
  const user = at < 0 ? undefined : authority.slice(0, at)
  const host = authority.slice(at + 1)
  const why = hostFault(host) ?? userFault(user) ?? escapeFault(path) ?? escapeFault(fragment)
  if (why !== undefined) return fault(why)
  return { kind: 'address', address: { ...parts, host, ...(user !== undefined && { user }) } }
}

function hasControl(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x20 || code === 0x7f) return true
  }
  return false
}

function userFault(user: string | undefined): string | undefined {
  if (user === undefined) return undefined
  return USER.test(user) ? escapeFault(user) : 'net/url: invalid userinfo'
}

function hostFault(host: string): string | undefined {
  const isBracketed = host.startsWith('[')
  const end = isBracketed ? host.lastIndexOf(']') : host.lastIndexOf(':') - 1
  if (isBracketed && end < 0) return "missing ']' in host"
  const port = end < -1 ? '' : host.slice(end + 1)
  if ((isBracketed || host.includes(':')) && !PORT.test(port)) return `invalid port ${quoted(port)} after host`
  const odd = /[^A-Za-z0-9!$&'()*+,;=:[\]<>"._~%\u0080-\u{10ffff}-]/u.exec(host)?.[0]
  if (odd !== undefined) return `invalid character ${quoted(odd)} in host name`
  return escapeFault(host)
}

function escapeFault(text: string): string | undefined {
  for (let at = text.indexOf('%'); at >= 0; at = text.indexOf('%', at + 1)) {
    const escape = text.slice(at, at + 3)
    if (!ESCAPE.test(escape)) return `invalid URL escape ${quoted(escape)}`
  }
  return undefined
}
