// The errors that clients see. Code below `http/` throws an `ApiError`, and `http/` makes a Status of the error.
import type { Explanation } from './explanation.ts'

export interface StatusCause {
  readonly reason?: string
  readonly message?: string
  readonly field?: string
}

export interface StatusDetails {
  readonly name?: string
  readonly group?: string
  readonly kind?: string
  readonly uid?: string
  readonly causes?: readonly StatusCause[]
  readonly retryAfterSeconds?: number
  /** Our own member; see `explanation.ts`. */
  readonly explanation?: Explanation
}

/** The machine-readable reasons of the API, and the codes that belong to them. */
const CODES = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  AlreadyExists: 409,
  Conflict: 409,
  Gone: 410,
  Expired: 410,
  Invalid: 422,
  Timeout: 504,
  ServerTimeout: 500,
  StorageReadError: 500,
  TooManyRequests: 429,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  InternalError: 500,
  ServiceUnavailable: 503,
  /** Clients see the member `reason` as `Unknown` or absent. */
  '': 500,
} as const satisfies Readonly<Record<string, number>>

export type StatusReason = keyof typeof CODES

interface ApiErrorOptions {
  readonly details?: StatusDetails
  /** The code, if it differs from the usual code of the reason. */
  readonly code?: number
  /** The token for the rest of the list at another revision. */
  readonly continueToken?: string
  /** Only for the client: it is not logged. */
  readonly explanation?: Explanation | undefined
  readonly cause?: unknown
}

export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly reason: StatusReason
  readonly code: number
  readonly details: StatusDetails | undefined
  readonly continueToken: string | undefined
  readonly explanation: Explanation | undefined

  constructor(reason: StatusReason, message: string, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.reason = reason
    this.code = options.code ?? CODES[reason]
    this.details = options.details
    this.continueToken = options.continueToken
    this.explanation = options.explanation
  }
}

/** The body of a failure, in the reference's field order. */
export interface Status {
  readonly kind: 'Status'
  readonly apiVersion: 'v1'
  readonly metadata: { readonly continue?: string }
  readonly status: 'Failure' | 'Success'
  readonly message?: string
  readonly reason?: string
  readonly details?: StatusDetails
  readonly code?: number
}

/** Thrown if a small write takes too long for the event loop. The write must run again in a worker thread. */
export class TooLongHere extends ApiError {
  constructor() {
    super('ServiceUnavailable', 'the server is not ready to check objects of this kind, please try again', {
      details: { retryAfterSeconds: 1 },
    })
  }
}

export function statusOf(error: ApiError): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: error.continueToken === undefined ? {} : { continue: error.continueToken },
    status: 'Failure',
    ...(error.message === '' ? {} : { message: error.message }),
    ...(error.reason === '' ? {} : { reason: error.reason }),
    ...(error.details === undefined ? {} : { details: error.details }),
    code: error.code,
  }
}
