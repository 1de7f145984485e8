// The parts of a watch for `EventSource` in browsers besides its frames: the position at which the client resumes, and comments that keep
// the stream alive.
import type { ByteSink, HttpRequest } from '../http/http.ts'
import type { Query } from '../http/query.ts'
import { type Clock, repeat } from '../lib/clock.ts'
import { headerOf } from './resource-parts.ts'

/** Proxies close streams that are silent for a minute; some close them after half a minute. */
const KEEP_ALIVE_MS = 15_000
const COMMENT = Buffer.from(':\n\n')

/** A client that resumes already has the state, so these parameters do not apply. */
const OF_THE_STATE: ReadonlySet<string> = new Set(['resourceVersionMatch', 'sendInitialEvents'])

/** The query. If the client reconnects, the query has the version of the last event that the client has seen. */
export function resumedQuery(request: HttpRequest): Pick<Query, 'get'> {
  const { query } = request
  const seen = headerOf(request, 'last-event-id')
  if (seen === '') return query
  return {
    get: (name) => (name === 'resourceVersion' ? seen : OF_THE_STATE.has(name) ? undefined : query.get(name)),
  }
}

/** Sends keep-alives until the returned function is called. Nothing is written for a client that does not read. */
export function keepAlive(sink: ByteSink, clock: Clock): () => void {
  return repeat(clock, KEEP_ALIVE_MS, () => {
    if (sink.waitingBytes === 0) sink.write(COMMENT)
  })
}
