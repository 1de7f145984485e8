// From anything that was thrown to the Status that a client sees: the one place where that happens. What is not an
// `ApiError` is a fault of ours: logged once, here, with its stack, and told to the client without its text.
import { ApiError, statusOf } from '../api/status.ts'
import { CancelledError } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import { ClientGoneError, DeadlineError } from './abort-reasons.ts'
import { timeoutError } from './deadline.ts'
import type { HttpRequest, HttpResponse } from './http.ts'
import { wantsPretty } from './pretty.ts'

/** The router's answers have `details: {}`, those of handlers have none or more. */
export function notFoundError(): ApiError {
  return new ApiError('NotFound', 'the server could not find the requested resource', { details: {} })
}

export function methodNotAllowedError(): ApiError {
  return new ApiError('MethodNotAllowed', 'the server does not allow this method on the requested resource', {
    details: {},
  })
}

export function unauthorizedError(): ApiError {
  return new ApiError('Unauthorized', 'Unauthorized')
}

export function closingError(): ApiError {
  return new ApiError('ServiceUnavailable', 'apiserver is shutting down')
}

/** What to answer; undefined where nobody is there to hear it. */
export function answerError(error: unknown, request: HttpRequest, log: Log): HttpResponse | undefined {
  if (error instanceof ApiError) return statusResponse(error, request)
  const { aborted, reason } = request.signal
  if (aborted && (error instanceof CancelledError || error === reason)) {
    if (reason instanceof ClientGoneError) return undefined
    return statusResponse(reason instanceof DeadlineError ? timeoutError() : closingError(), request)
  }
  log.error({ err: error, auditId: request.auditId, method: request.method, path: request.path }, 'request failed')
  return statusResponse(faultError(request.auditId), request)
}

function faultError(auditId: string): ApiError {
  const text = `the server failed to answer; its log has more under audit id ${auditId}`
  return new ApiError('InternalError', `Internal error occurred: ${text}`, { details: { causes: [{ message: text }] } })
}

export function statusResponse(error: ApiError, request: HttpRequest): HttpResponse {
  const retryAfter = error.details?.retryAfterSeconds ?? 0
  return {
    status: error.code,
    headers: {
      'content-type': 'application/json',
      ...(retryAfter > 0 ? { 'retry-after': String(retryAfter) } : {}),
      ...(error.code === 403 ? { 'x-content-type-options': 'nosniff' } : {}),
    },
    body: { kind: 'bytes', bytes: encodeStatus(error, wantsPretty(request)), compress: true },
  }
}

function encodeStatus(error: ApiError, pretty: boolean): Buffer {
  const status = statusOf(error)
  const text = pretty ? JSON.stringify(status, undefined, 2) : `${JSON.stringify(status)}\n`
  return Buffer.from(text.replace(/[<>&\u2028\u2029]/g, escapeCharacter))
}

/** As Go writes JSON. */
function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
