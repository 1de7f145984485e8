// The errors of requests: a Status from the server, or no answer.
import type { Status } from './gen/k8s.ts'

/** The server refused and answered with a Status. Most programs test it with `hasReason`. */
export class ApiStatusError extends Error {
  override readonly name: string = 'ApiStatusError'
  readonly status: Status
  readonly code: number
  /** Machine-readable: `NotFound`, `AlreadyExists`, `Conflict`, `Invalid`, `Forbidden`, `Expired`, …; empty if the server gives none. */
  readonly reason: string
  readonly details: Status['details']
  /** The seconds that the server wants the client to wait. */
  readonly retryAfter: number | undefined

  constructor(request: string, status: Status, retryAfter = status.details?.retryAfterSeconds) {
    super(`${request}: ${status.message ?? status.reason ?? `status ${status.code}`}`)
    this.status = status
    this.code = status.code ?? 0
    this.reason = status.reason ?? ''
    this.details = status.details
    this.retryAfter = retryAfter
  }
}

/** The server no longer has the changes since the resourceVersion of a watch. List again and watch from there. */
export class WatchExpiredError extends ApiStatusError {
  override readonly name = 'WatchExpiredError'
}

/** `connecting`: the request was not sent. `refused`: the server did not process it. `sent`: the server may have processed it. */
export type ConnectionPhase = 'connecting' | 'refused' | 'sent'

/** There was no complete answer. `cause` is the error of the connection, if there is one. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
  readonly phase: ConnectionPhase

  constructor(phase: ConnectionPhase, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.phase = phase
  }
}

/** Whether the server gave one of these reasons: `hasReason(error, 'NotFound', 'Gone')`. */
export function hasReason(error: unknown, ...reasons: readonly string[]): error is ApiStatusError {
  return error instanceof ApiStatusError && reasons.includes(error.reason)
}

/** The Status in the body of a refusal. A proxy may answer something else: then the Status is made from the code. */
export function statusIn(code: number, text: string): Status {
  try {
    const status = JSON.parse(text) as Status
    if (status.kind === 'Status') return { code, ...status }
  } catch {
    // The text is not JSON and becomes the message.
  }
  return {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code,
    message: text.trim().slice(0, 1000) || `status ${code}`,
  }
}
