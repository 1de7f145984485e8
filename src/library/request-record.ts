// Records the requests to a server, for tests to check and to print. Nothing is kept without a recorder.
import type { Filter, HttpRequest } from '../http/http.ts'
import { checkOptions } from '../lib/known-options.ts'

/** A received request. The last three members are undefined until they are known. */
export interface RecordedRequest {
  /** The Kubernetes verb (`list`, `watch`, `create`, `patch`, …), or the method in lower case for requests to no resource. */
  readonly verb: string
  /** `/api/v1/namespaces/default/pods/web/status` */
  readonly path: string
  /** The part after the question mark: `labelSelector=app%3Dweb`. */
  readonly query: string
  /** The name of the user, as the server has authenticated it. */
  readonly user: string | undefined
  /** Known as soon as the answer begins. It stays unknown if no answer was sent in time, or if the client left before. */
  readonly status: number | undefined
  /** The time from the first byte of the request to the end of the answer. For a watch, this end comes long after the status. */
  readonly durationMs: number | undefined
}

/** The options of `recordRequests()`. */
export interface RecordOptions {
  /** The largest number of requests to keep; the latest are kept. Default: 1,000. */
  readonly limit?: number
}

/** The requests since `recordRequests()`, in the order in which they came. `using` ends it at the end of a block. */
export interface RequestRecord extends Disposable {
  /** A copy that does not get later requests. */
  readonly requests: readonly RecordedRequest[]
  /** Forgets the recorded requests and continues to record. */
  clear(): void
  /** Ends the record. The recorded requests stay. */
  stop(): void
  /** A line for each request, for people to read: `201     4.2 ms  admin  create /api/v1/namespaces/default/pods`. */
  lines(): readonly string[]
}

const DEFAULT_LIMIT = 1000

type Entry = { -readonly [K in keyof RecordedRequest]: RecordedRequest[K] }

/** The records of one server. */
export class RequestRecords {
  readonly #records = new Set<Recording>()

  /** The outermost filter, so that it sees the requests that other filters refuse. */
  readonly filter: Filter = (next) => (request) => {
    if (this.#records.size === 0) return next(request)
    const entry = entryOf(request)
    for (const record of this.#records) record.add(entry)
    request.responder.whenOver(() => (entry.durationMs = performance.now() - request.receivedAt))
    return this.#answered(entry, request, next(request))
  }

  start(options: RecordOptions = {}): RequestRecord {
    checkOptions('recordRequests', options, { limit: 'count?' })
    const { limit = DEFAULT_LIMIT } = options
    if (limit === 0) throw new TypeError('recordRequests: the limit is at least 1, not 0')
    const record = new Recording(limit, () => this.#records.delete(record))
    this.#records.add(record)
    return record
  }

  async #answered(entry: Entry, { responder }: HttpRequest, answer: ReturnType<ReturnType<Filter>>) {
    const response = await answer
    entry.user = responder.user.name
    // If the time of the request was up, the client has another answer.
    if (entry.durationMs === undefined) entry.status = response.status
    return response
  }
}

function entryOf({ info, method, path, target }: HttpRequest): Entry {
  const verb = info.kind === 'broken' ? method.toLowerCase() : info.verb
  const at = target.indexOf('?')
  return {
    verb,
    path,
    query: at === -1 ? '' : target.slice(at + 1),
    user: undefined,
    status: undefined,
    durationMs: undefined,
  }
}

class Recording implements RequestRecord {
  readonly #limit: number
  readonly #end: () => void
  #entries: Entry[] = []

  constructor(limit: number, end: () => void) {
    this.#limit = limit
    this.#end = end
  }

  get requests(): readonly RecordedRequest[] {
    return this.#entries.slice(-this.#limit).map((entry) => ({ ...entry }))
  }

  add(entry: Entry): void {
    this.#entries.push(entry)
    // Entries are not dropped one by one, because each time all other entries would move.
    if (this.#entries.length >= 2 * this.#limit) this.#entries = this.#entries.slice(-this.#limit)
  }

  clear(): void {
    this.#entries = []
  }

  stop(): void {
    this.#end()
  }

  [Symbol.dispose](): void {
    this.stop()
  }

  lines(): readonly string[] {
    return this.requests.map(lineOf)
  }
}

function lineOf({ verb, path, query, user = '-', status, durationMs }: RecordedRequest): string {
  const took = durationMs === undefined ? 'open' : `${durationMs.toFixed(1)} ms`
  return `${String(status ?? '-').padStart(3)} ${took.padStart(10)}  ${user}  ${verb} ${path}${query === '' ? '' : `?${query}`}`
}
