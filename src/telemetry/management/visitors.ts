// Access to the management address (D33). A connection from this machine may read everything, unless a page of another web site made a
// browser send the request. Other connections need the token or a certificate. With --management-open-probes, they may read health without
// either.
import { createHash, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { isIP, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Page } from './pages.ts'

export interface VisitorRules {
  readonly openProbes: boolean
  readonly tokenFile: string | undefined
}

export interface Refusal {
  readonly status: 401 | 403
  readonly text: string
}

const LOOPBACK = /^(::ffff:)?127\.|^::1$/

/** Undefined: the visitor may read the page. */
export function refusalOf(
  { headers, socket }: { readonly headers: IncomingHttpHeaders; readonly socket: Socket },
  page: Page,
  rules: VisitorRules,
): Refusal | undefined {
  if (LOOPBACK.test(socket.remoteAddress ?? '')) return refusalOfBrowser(headers)
  if (page.isProbe === true && rules.openProbes) return undefined
  if ((socket as Partial<TLSSocket>).authorized === true) return undefined
  if (isToken(headers.authorization, rules.tokenFile)) return undefined
  return { status: 401, text: 'this page needs the token of --management-token-file or a client certificate' }
}

/**
 * Any web page can make a browser on this machine send requests here. If the name of the page's site leads to 127.0.0.1 (DNS rebinding),
 * the header `Host` shows the name. If the page calls this address from another site, `Sec-Fetch-Site` shows this.
 */
function refusalOfBrowser({ host = '', 'sec-fetch-site': site = 'none' }: IncomingHttpHeaders): Refusal | undefined {
  const name = host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1')
  if (name !== '' && name !== 'localhost' && isIP(name) === 0) {
    return { status: 403, text: 'the Host header must be localhost or an IP address' }
  }
  if (site === 'none' || site === 'same-origin') return undefined
  return { status: 403, text: 'other web pages may not ask for this page' }
}

/** With an unreadable or empty file, every token is refused. */
function isToken(authorization: string | undefined, file: string | undefined): boolean {
  const presented = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
  if (presented === undefined || file === undefined) return false
  let token: string
  try {
    token = readFileSync(file, 'utf8').trim()
  } catch {
    return false
  }
  return token !== '' && timingSafeEqual(digest(presented), digest(token))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
