// Whether a request comes from a page of the console itself. Browsers send the cookie of a session along by themselves; what they say of the
// page that asks cannot be made up by another site.
import type { HttpRequest } from '../http/http.ts'

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** What changes something has to say where it comes from; what reads may leave it out, but not come from elsewhere. */
export function isSameOrigin({ method, headers, host, transport }: HttpRequest): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  if (origin !== undefined && !isOriginOf(origin, host)) return false
  if (site !== undefined && site !== 'same-origin') return false
  return origin !== undefined || site !== undefined || (READING.has(method) && transport === 'plain')
}

function isOriginOf(origin: unknown, host: string): boolean {
  return typeof origin === 'string' && host !== '' && origin.toLowerCase() === `https://${host.toLowerCase()}`
}
