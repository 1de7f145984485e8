// Turns anything that was thrown into the Status that a client gets. An error that is neither an `ApiError` nor a cancellation is a bug of
// ours. It is logged here with its stack, and its text is not in the answer.
import { escapeMarkup, jsonText } from '../api/json-text.ts'
import { ApiError, type Status, statusOf } from '../api/status.ts'
import type { ValueMap } from '../api/value.ts'
import type { Encoding } from '../codec/codec.ts'
import { negotiateStatus } from '../codec/negotiate.ts'
import { CancelledError } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import { ClientGoneError, DeadlineError } from './abort-reasons.ts'
import { timeoutError } from './deadline.ts'
import type { HttpRequest, HttpResponse, ResponseHeaders } from './http.ts'
import { wantsPretty } from './pretty.ts'

/** Errors of the router have `details: {}`. Errors of handlers have no `details`, or `details` with members. */
export function unknownResourceError(): ApiError {
  return new ApiError('NotFound', 'the server could not find the requested resource', { details: {} })
}

export function methodNotAllowedError(): ApiError {
  return new ApiError('MethodNotAllowed', 'the server does not allow this method on the requested resource', {
    details: {},
  })
}

/**
 * Throws 406, as the reference's router does, if the client does not accept `type` (R-019 a). For endpoints that answer in one media type.
 */
export function refuseOtherTypes({ headers: { accept } }: HttpRequest, type: string): void {
  if (typeof accept !== 'string' || accept.trim() === '') return
  const asked = accept.split(',').map((clause) => clause.split(';', 1)[0]?.trim())
  if (asked.some((one) => one === type || one === '*/*' || one === 'application/*')) return
  throw new ApiError('NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${type}`, { details: {} })
}

export function closingError(): ApiError {
  return new ApiError('ServiceUnavailable', 'apiserver is shutting down')
}

/** Returns the answer to an error. Undefined: the client is gone. */
export function answerError(
  error: unknown,
  request: HttpRequest,
  { log, writeStatus }: ErrorAnswers,
): HttpResponse | undefined {
  if (error instanceof ApiError) return writeStatus(error, request)
  const { aborted, reason } = request.signal
  if (aborted && (error instanceof CancelledError || error === reason)) {
    if (reason instanceof ClientGoneError) return undefined
    return writeStatus(reason instanceof DeadlineError ? timeoutError() : closingError(), request)
  }
  log.error({ err: error, auditId: request.auditId, method: request.method, path: request.path }, 'request failed')
  return writeStatus(faultError(request.auditId), request)
}

/** The error that a client gets for a bug of ours. */
export function faultError(auditId: string): ApiError {
  const text = `unexpected failure, see the log of the server for audit ID ${auditId}`
  return new ApiError('InternalError', `Internal error occurred: ${text}`, { details: { causes: [{ message: text }] } })
}

/**
 * Answers with the reference's text, as plain text for every requested format: the reference's encoders do not write this answer (P-225).
 */
export function timeoutAnswer(): HttpResponse {
  const { kind: _, apiVersion: __, ...status } = statusOf(timeoutError())
  const bytes = Buffer.from(`${JSON.stringify(status)}\n`)
  return { status: 504, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: { kind: 'bytes', bytes } }
}

/** Encodes a Status in another format than JSON. */
export type StatusEncoder = (status: Status, encoding: Exclude<Encoding, 'json'>) => Buffer

export type StatusWriter = (error: ApiError, request: HttpRequest) => HttpResponse

export interface ErrorAnswers {
  readonly log: Log
  readonly writeStatus: StatusWriter
}

/** Answers in the encoding that the client requested, or in indented JSON if a Status cannot have that encoding. */
export function statusWriter(encode: StatusEncoder, cbor: boolean): StatusWriter {
  return (error, request) => {
    const { accept, 'content-type': contentType } = request.headers
    const asked = { accept: single(accept), contentType: single(contentType) }
    const form = negotiateStatus(asked, cbor)
    const status = explainedStatus(error)
    const bytes =
      form === undefined || form.encoding === 'json'
        ? jsonStatus(status, form === undefined || wantsPretty(request))
        : encode(status, form.encoding)
    return {
      status: error.code,
      headers: {
        'content-type': form?.contentType ?? 'application/json',
        ...retryAfter(error),
        ...(error.code === 403 ? { 'x-content-type-options': 'nosniff' } : {}),
      },
      body: { kind: 'bytes', bytes, compress: true },
    }
  }
}

function explainedStatus(error: ApiError): Status {
  const status = statusOf(error)
  const { explanation } = error
  return explanation === undefined ? status : { ...status, details: { ...status.details, explanation } }
}

function retryAfter({ details }: ApiError): ResponseHeaders {
  const seconds = details?.retryAfterSeconds ?? 0
  return seconds > 0 ? { 'retry-after': String(seconds) } : {}
}

/** Only the first line of a header counts. */
function single(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'object' ? header[0] : header
}

function jsonStatus(status: Status, pretty: boolean): Buffer {
  const value = status as unknown as ValueMap
  const text = pretty ? jsonText(value, 2) : `${jsonText(value)}\n`
  return Buffer.from(escapeMarkup(text))
}
