// One request, from its first byte to the last byte of its answer. The exchange is the record that filters and handlers see, and owns the
// request's signal and deadline. The signal also fires when the response closes early. Node's `close` event of the request is not used,
// because it fires as soon as the body has been read.
import { LightSignal } from '../lib/light-signal.ts'
import type { Random } from '../lib/random.ts'
import { ClientGoneError, DeadlineError } from './abort-reasons.ts'
import { BoundedBody } from './body.ts'
import { PROGRESS_BYTES } from '../wire/connection-limits.ts'
import { type Deadline, deadlineOf, isWatch } from './deadline.ts'
import type { HttpRequest, RemoteEnd, RequestHeaders, RequestTurns } from './http.ts'
import { parseQuery, type Query } from './query.ts'
import type { RequestInfo, RequestInfos } from './request-info.ts'
import { EnvelopeResponder } from './responder.ts'
import type { AnswerProgress, WireRequest } from '../wire/request-response.ts'
import { Standstill } from '../wire/standstill.ts'
import type { TurnLedger } from './turn-ledger.ts'

export interface ExchangeOptions {
  readonly remote: RemoteEnd
  readonly transport: HttpRequest['transport']
  readonly requestTimeoutMs: number
  readonly infos: RequestInfos
  /** The source of audit ids. */
  readonly random: Random
  /** The target below the console's prefix. Undefined: the console has not sent the request. */
  readonly consoleTarget?: string | undefined
  /** Counts the turns of the request. Absent: they are not counted. */
  readonly ledger?: TurnLedger
}

export class Exchange implements HttpRequest {
  readonly auditId: string
  readonly method: string
  readonly target: string
  readonly path: string
  readonly query: Query
  readonly info: RequestInfo
  readonly headers: RequestHeaders
  readonly isOfConsole: boolean
  readonly transport: HttpRequest['transport']
  readonly deadline: Deadline
  readonly receivedAt: number
  readonly signal = new LightSignal()
  readonly body: BoundedBody
  readonly responder: EnvelopeResponder
  readonly turns: RequestTurns = { busyMs: 0, longestMs: 0 }
  filterSince = 0
  isAudited = false
  remote: RemoteEnd
  /** Called after the signal has fired for the deadline. */
  onDeadline: (() => void) | undefined
  /** Called to break off an answer, for example if the client does not read it. */
  onOverdue: (() => void) | undefined
  /** The progress of the answer. It is checked if the request has no deadline. */
  progress: AnswerProgress | undefined
  readonly #request: WireRequest
  readonly #ledger: TurnLedger | undefined
  #credential: string | undefined
  #untaken: Standstill | undefined
  /** The values of each header, by its name. They are not joined, because a value can contain a comma. */
  #headerLines: ReadonlyMap<string, readonly string[]> | undefined

  constructor(request: WireRequest, options: ExchangeOptions) {
    const { remote, transport, requestTimeoutMs, infos, random, consoleTarget, ledger } = options
    const { headers } = request
    const target = consoleTarget ?? request.target
    this.isOfConsole = consoleTarget !== undefined
    const auditId = headers['audit-id']
    const { path, search } = splitTarget(target)
    const decoded = decodePath(path)
    this.#request = request
    this.#ledger = ledger
    this.target = target
    this.receivedAt = performance.now()
    this.auditId = typeof auditId === 'string' && auditId !== '' ? auditId.slice(0, LONGEST_AUDIT_ID) : random.uuid()
    this.method = request.method
    this.path = decoded ?? path
    this.query = parseQuery(search)
    this.info =
      decoded === undefined
        ? { kind: 'broken', message: `invalid URL escape in path ${path}` }
        : infos.of(this.method, decoded, this.query)
    // Only the authentication filter sees the credential (P-016). It is removed from Node's own record, because a copy of the record would
    // cost more than the rest of this function.
    this.#credential = headers.authorization
    if (this.#credential !== undefined) headers.authorization = undefined
    this.headers = headers
    this.remote = remote
    this.transport = transport
    this.body = new BoundedBody(request, this)
    this.responder = new EnvelopeResponder(this.auditId)
    this.deadline = deadlineOf(this.info, this.query, requestTimeoutMs)
  }

  resume(now?: number): void {
    this.#ledger?.enter(this, now)
  }

  takeCredential(): string | undefined {
    const credential = this.#credential
    this.#credential = undefined
    return credential
  }

  get host(): string {
    const { headers, rawHeaders } = this.#request
    return headers.host ?? headerLinesOf(rawHeaders).get(':authority')?.[0] ?? ''
  }

  useSession(authorization: string | undefined): void {
    this.#credential = authorization
    // `EventSource` cannot set the `Accept` header, so a parameter replaces it.
    const { headers } = this.#request
    headers.accept = this.query.get('accept') ?? headers.accept
    if (authorization !== undefined) this.remote = { ...this.remote, certificate: undefined }
  }

  hasHeaderLike(prefix: string): boolean {
    const { rawHeaders } = this.#request
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const name = rawHeaders[at]!
      // The first letter is compared first, because most names begin with another letter. Over HTTP/1.1 it can be a capital.
      if ((name.charCodeAt(0) | 0x20) === prefix.charCodeAt(0) && name.toLowerCase().startsWith(prefix)) return true
    }
    return false
  }

  takeHeader(name: string): readonly string[] {
    const { headers, rawHeaders } = this.#request
    if (headers[name] === undefined) return []
    headers[name] = undefined
    this.#headerLines ??= headerLinesOf(rawHeaders)
    return this.#headerLines.get(name) ?? []
  }

  /** Ends the request if its time has passed, or if the client does not read the answer. Call this at intervals. */
  checkLimits(now: number, stalledMs: number): void {
    const { deadline } = this
    if (this.responder.isOver) return
    if (deadline.kind === 'after') {
      const lateMs = now - this.receivedAt - deadline.milliseconds
      if (lateMs >= 0) this.expire()
      if (lateMs >= LATE_ANSWER_MS) this.onOverdue?.()
    } else if (this.#untakenMs(now) >= (isWatch(this.info) ? stalledMs : STREAM_STALLED_MS)) this.onOverdue?.()
  }

  breakOff(): void {
    this.onOverdue?.()
  }

  expire(): void {
    if (this.responder.isOver || this.signal.aborted) return
    this.signal.fire(new DeadlineError())
    this.onDeadline?.()
  }

  #untakenMs(now: number): number {
    const { unsentBytes, sentBytes } = this.progress ?? NOT_BEGUN
    if (unsentBytes === 0 && this.#untaken === undefined) return 0
    this.#untaken ??= new Standstill()
    return this.#untaken.millisecondsAt(unsentBytes === 0 ? undefined : Math.floor(sentBytes / PROGRESS_BYTES), now)
  }

  /** Call this when the connection or stream has closed. `sent`: the whole answer has been sent. */
  closed(sent: boolean): void {
    this.responder.over()
    if (!sent && !this.signal.aborted) this.signal.fire(new ClientGoneError())
  }
}

/** A longer audit ID of a client is cut, because every event, log line and answer has the ID. */
const LONGEST_AUDIT_ID = 64
/** The time that the client has to read the answer to a request that took too long. */
const LATE_ANSWER_MS = 5000
/** A stream that is not a watch ends if its client reads nothing for this time. A person who reads a log may pause. */
const STREAM_STALLED_MS = 30 * 60_000
const NOT_BEGUN: AnswerProgress = Object.freeze({ unsentBytes: 0, sentBytes: 0 })

function headerLinesOf(rawHeaders: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const lines = new Map<string, string[]>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase()
    const known = lines.get(name)
    if (known === undefined) lines.set(name, [rawHeaders[at + 1]!])
    else known.push(rawHeaders[at + 1]!)
  }
  return lines
}

/** Splits a target into its path and its query. A target of a proxy can have the absolute form, `http://host/path?query`. */
export function splitTarget(target: string): { path: string; search: string } {
  const local = target.startsWith('/') ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
  const question = local.indexOf('?')
  if (question === -1) return { path: local === '' ? '/' : local, search: '' }
  return { path: question === 0 ? '/' : local.slice(0, question), search: local.slice(question + 1) }
}

function decodePath(path: string): string | undefined {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}
