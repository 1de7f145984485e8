// What a watch of `EventSource` in a browser has beside its frames: where it resumes, and comments that keep it alive.
import type { ByteSink, HttpRequest } from '../http/http.ts'
import type { Query } from '../http/query.ts'
import { type Clock, repeat } from '../lib/clock.ts'
import { headerOf } from './resource-parts.ts'

/** Proxies close what has been silent for a minute, some for half of one. */
const KEEP_ALIVE_MS = 15_000
const COMMENT = Buffer.from(':\n\n')

/** What the state is to be like says nothing where a client resumes. */
const OF_THE_STATE: ReadonlySet<string> = new Set(['resourceVersionMatch', 'sendInitialEvents'])

/** The query with the version of the last event that a client has seen, where it comes back. */
export function resumedQuery(request: HttpRequest): Pick<Query, 'get'> {
  const { query } = request
  const seen = headerOf(request, 'last-event-id')
  if (seen === '') return query
  return {
    get: (name) => (name === 'resourceVersion' ? seen : OF_THE_STATE.has(name) ? undefined : query.get(name)),
  }
}

/** Until what it returns is called. Nothing is added for a client that does not take what it has. */
export function keepAlive(sink: ByteSink, clock: Clock): () => void {
  return repeat(clock, KEEP_ALIVE_MS, () => {
    if (sink.waitingBytes === 0) sink.write(COMMENT)
  })
}
