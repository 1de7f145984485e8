// What a request can fail with: an answer that is a Status, or no answer.
import type { Status } from './gen/k8s.ts'

/** The server refused: it answered with a Status. `hasReason` asks for what most programs want to know. */
export class ApiStatusError extends Error {
  override readonly name: string = 'ApiStatusError'
  /** The whole answer. */
  readonly status: Status
  /** The HTTP status code. */
  readonly code: number
  /** Machine-readable: `NotFound`, `AlreadyExists`, `Conflict`, `Invalid`, `Forbidden`, `Expired`, …; empty where the server says none. */
  readonly reason: string
  readonly details: Status['details']
  /** When the server wants to be asked again, in seconds. */
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

/** The server no longer has the changes since the resourceVersion of a watch: list again, and watch from there. */
export class WatchExpiredError extends ApiStatusError {
  override readonly name = 'WatchExpiredError'
}

/**
 * How far a request came. `connecting`: nowhere. `refused`: the server did not look at it. `sent`: whether the server has done what was
 * asked is not known.
 */
export type ConnectionPhase = 'connecting' | 'refused' | 'sent'

/** There was no answer, or not all of it. `cause` says what broke. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
  readonly phase: ConnectionPhase

  constructor(phase: ConnectionPhase, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.phase = phase
  }
}

/** Whether the server refused for one of these reasons: `hasReason(error, 'NotFound', 'Gone')`. */
export function hasReason(error: unknown, ...reasons: readonly string[]): error is ApiStatusError {
  return error instanceof ApiStatusError && reasons.includes(error.reason)
}

/** The Status in the body of a refusal; made from the code where a proxy or the like answered something else. */
export function statusIn(code: number, text: string): Status {
  try {
    const status = JSON.parse(text) as Status
    if (status.kind === 'Status') return { code, ...status }
  } catch {
    // Not JSON: it is told as it is.
  }
  return {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code,
    message: text.trim().slice(0, 1000) || `status ${code}`,
  }
}
