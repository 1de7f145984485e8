// Whether a client wants its JSON indented (R-245, D14).
import type { HttpRequest } from './http.ts'

const TRUE: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True'])

/** The user agents of clients whose output people read. */
const READERS: readonly string[] = ['curl', 'Wget', 'Mozilla/5.0']

export function wantsPretty(request: Pick<HttpRequest, 'query' | 'headers'>): boolean {
  const asked = request.query.get('pretty')
  if (asked !== undefined) return asked === '' || TRUE.has(asked)
  const { accept, 'user-agent': agent } = request.headers
  if (typeof accept === 'string' && /;\s*pretty=1(?![^\s;,])/.test(accept)) return true
  return typeof agent === 'string' && READERS.some((reader) => agent.startsWith(reader))
}
