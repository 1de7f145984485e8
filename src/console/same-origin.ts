// Checks that a request comes from a page of the console. Browsers add the cookie of a session by themselves. Another site cannot
// forge the headers with the origin of the page.
import type { HttpRequest } from '../http/http.ts'

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** A header must name the origin of the console, and no header may name another origin. A plain read may have no such header. */
export function isSameOrigin({ method, headers, host, transport }: HttpRequest): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  if (origin !== undefined && !isOriginOf(origin, host)) return false
  if (site !== undefined && site !== 'same-origin') return false
  return origin !== undefined || site !== undefined || (READING.has(method) && transport === 'plain')
}

function isOriginOf(origin: unknown, host: string): boolean {
  return typeof origin === 'string' && host !== '' && origin.toLowerCase() === `https://${host.toLowerCase()}`
}
