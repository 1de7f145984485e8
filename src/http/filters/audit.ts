// Writes the audit events that the policy requests: when a request is received, when a stream begins, and when the answer has ended.
import { jsonOrAbsent } from '../../api/json-text.ts'
import type { AuditOutcome } from '../../audit/audit.ts'
import type { Auditor, AuditRecord } from '../../audit/auditor.ts'
import type { User } from '../../api/user.ts'
import { ApiError, statusOf } from '../../api/status.ts'
import { isMap, own, type Value } from '../../api/value.ts'
import { CancelledError } from '../../lib/errors.ts'
import { type MaybePromise, settle } from '../../lib/maybe-promise.ts'
import { DeadlineError } from '../abort-reasons.ts'
import { timeoutError } from '../deadline.ts'
import {
  type AuditEntrance,
  type AuditNotes,
  type AuditPart,
  type CallerFilter,
  type HttpRequest,
  type HttpResponse,
  type NamedObject,
  NOT_AUDITED,
  type Piece,
  type Pieces,
} from '../http.ts'
import { isTransaction } from '../request-info.ts'

export interface AuditFilterOptions {
  readonly auditor: Auditor
  readonly onRejected: () => void
}

/** The audit log keeps a body that is sent piece by piece only if it is not larger than this. */
const MOST_KEPT_BYTES = 16 * 1024 * 1024

export function audit(options: AuditFilterOptions): CallerFilter {
  return (next) =>
    (request, { user, annotations = {} }) => {
      request.isAudited = true
      const record = options.auditor.begin(request, user)
      const notes = isTransaction(request.info)
        ? new NotesWithParts(options.auditor, user, record ?? NOT_AUDITED)
        : record
      if (record === undefined) return next(request, { user, audit: notes ?? NOT_AUDITED })
      const wait = record.reach('RequestReceived')
      for (const [key, value] of Object.entries(annotations)) record.annotate(key, value)
      const go = (): MaybePromise<HttpResponse> => next(request, { user, audit: notes ?? record })
      if (wait === undefined) return follow(record, request, go)
      return wait.then(
        () => follow(record, request, go),
        (error: unknown) => {
          options.onRejected()
          throw new ApiError('InternalError', 'Internal error occurred: the request could not be audited', {
            cause: error,
          })
        },
      )
    }
}

/** The operations of a transaction are audited by the rules for their objects. */
class NotesWithParts implements AuditNotes {
  readonly #auditor: Auditor
  readonly #user: User
  readonly #notes: AuditNotes
  #actFor: Parameters<AuditNotes['actFor']> | undefined

  constructor(auditor: Auditor, user: User, notes: AuditNotes) {
    this.#auditor = auditor
    this.#user = user
    this.#notes = notes
  }

  annotate(key: string, value: string): void {
    this.#notes.annotate(key, value)
  }

  nameObject(named: NamedObject | undefined): void {
    this.#notes.nameObject(named)
  }

  actFor(...given: Parameters<AuditNotes['actFor']>): void {
    this.#actFor = given
    this.#notes.actFor(...given)
  }

  part(request: HttpRequest, body: Buffer): AuditPart | undefined {
    const record = this.#auditor.begin(request, this.#user)
    if (record === undefined) return undefined
    if (this.#actFor !== undefined) record.actFor(...this.#actFor)
    const type = request.headers['content-type']
    if (record.wantsRequestBody && body.length > 0) record.keepBody('requestObject', body, String(type ?? ''))
    const end = async (error: unknown): Promise<void> => {
      record.outcome = error === undefined ? { code: 200 } : failureOf(asApiError(error))
      await record.bodiesWritten
      await record.reach('ResponseComplete')
    }
    return { notes: record, end }
  }
}

function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError('InternalError', 'the outcome is unknown')
}

/** Audits logins and logouts, which the console answers itself. */
export function auditEntrance(options: AuditFilterOptions | undefined): AuditEntrance {
  return async (request, enter) => {
    const { user, answer } = await enter()
    return options === undefined ? answer() : audit(options)(answer)(request, { user, audit: NOT_AUDITED })
  }
}

type Go = () => MaybePromise<HttpResponse>

function follow(record: AuditRecord, request: HttpRequest, go: Go): MaybePromise<HttpResponse> {
  if (record.wantsRequestBody) keepRequest(record, request)
  let stage: 'ResponseComplete' | 'Panic' = 'ResponseComplete'
  request.responder.whenOver(() => {
    record.outcome ??= unansweredOutcome(request)
    void record.reach(stage)
  })
  const answered = (response: HttpResponse): MaybePromise<HttpResponse> => {
    record.outcome = outcomeOf(response, request)
    if (response.body.kind === 'stream') {
      void record.reach('ResponseStarted')
      return response
    }
    const kept = record.wantsResponseBody ? keepResponse(record, response) : response
    return record.bodiesWritten?.then(() => kept) ?? kept
  }
  const failed = (error: unknown): Promise<never> => {
    if (error instanceof ApiError) {
      record.outcome = failureOf(error)
      if (record.wantsResponseBody) record.keepFailure(statusOf(error) as unknown as Value)
    } else if (!(error instanceof CancelledError)) {
      stage = 'Panic'
      record.outcome = { status: 'Failure', reason: 'InternalError', message: 'unexpected failure', code: 500 }
    }
    if (record.bodiesWritten === undefined) throw error
    return record.bodiesWritten.then(() => Promise.reject(error))
  }
  // Most answers are ready without a wait: awaiting them would cost as much as auditing them.
  return settle(go, answered, failed)
}

/** Audits a request that is refused before its user is known. */
export function auditRefusal(options: AuditFilterOptions, request: HttpRequest, error: ApiError): void {
  request.isAudited = true
  options.auditor.refuse(request, failureOf(error))
}

function failureOf(error: ApiError): AuditOutcome {
  const { status, message, reason, details, code } = statusOf(error)
  return { status, message, reason, details, code: code ?? 500 }
}

function unansweredOutcome({ signal }: HttpRequest): AuditOutcome | undefined {
  return signal.reason instanceof DeadlineError ? failureOf(timeoutError()) : undefined
}

function outcomeOf({ status: code, body, headers }: HttpResponse, { info }: HttpRequest): AuditOutcome {
  const mayTell = info.kind === 'resource' && (info.verb === 'delete' || code >= 400)
  if (!mayTell || body.kind !== 'bytes' || body.bytes.length > 4096 || headers['content-type'] !== 'application/json') {
    return { code }
  }
  // An aggregated server may send other text than JSON as `application/json`.
  const told = jsonOrAbsent(body.bytes.toString())
  if (!isMap(told) || own(told, 'kind') !== 'Status') return { code }
  const { status, message, reason, details } = told as unknown as AuditOutcome
  return { status, message, reason, details, code }
}

function keepRequest(record: AuditRecord, { body, headers }: HttpRequest): void {
  const type = headers['content-type']
  body.onRead = (bytes) => {
    if (bytes.length > 0) record.keepBody('requestObject', bytes, typeof type === 'string' ? type : '')
  }
}

function keepResponse(record: AuditRecord, response: HttpResponse): HttpResponse {
  const { body, headers } = response
  const type = String(headers['content-type'] ?? '')
  const keep = (bytes: Buffer): Promise<void> | undefined => {
    record.keepBody('responseObject', bytes, type)
    return record.bodiesWritten
  }
  if (body.kind === 'bytes') void keep(body.bytes)
  if (body.kind !== 'pieces') return response
  return { ...response, body: { ...body, pieces: copied(body.pieces, keep) } }
}

/** Passes the pieces on. After the last piece, `keep` gets all of them, unless they are too large. */
async function* copied(pieces: Pieces, keep: (bytes: Buffer) => Promise<void> | undefined): AsyncGenerator<Piece> {
  let all: Buffer[] | undefined = []
  let size = 0
  for await (const piece of pieces) {
    // The buffer may be reused after it is sent.
    const copy = Buffer.isBuffer(piece) ? Buffer.from(piece) : Buffer.concat(piece)
    size += copy.length
    if (size > MOST_KEPT_BYTES) all = undefined
    all?.push(copy)
    yield piece
  }
  if (all !== undefined) await keep(Buffer.concat(all))
}
