// Checks that a request comes from a page of the console. Browsers add the cookie of a session by themselves. Another site cannot
// forge the headers with the origin of the page.
import type { HttpRequest } from '../http/http.ts'

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** Writes must have an origin. Reads may have none, but not another one. */
export function isSameOrigin({ method, headers, host, transport }: HttpRequest): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  if (origin !== undefined && !isOriginOf(origin, host)) return false
  if (site !== undefined && site !== 'same-origin') return false
  return origin !== undefined || site !== undefined || (READING.has(method) && transport === 'plain')
}

function isOriginOf(origin: unknown, host: string): boolean {
  return typeof origin === 'string' && host !== '' && origin.toLowerCase() === `https://${host.toLowerCase()}`
}
