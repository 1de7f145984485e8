import { expect, it } from 'vitest'
import { ApiError, statusOf, type StatusReason } from '../../../src/api/status.ts'

const CODES: Readonly<Record<StatusReason, number>> = {
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  AlreadyExists: 409,
  Conflict: 409,
  Gone: 410,
  Expired: 410,
  Invalid: 422,
  BadRequest: 400,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  TooManyRequests: 429,
  InternalError: 500,
  // Not 504.
  ServerTimeout: 500,
  StorageReadError: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
  '': 500,
}

it.each(Object.entries(CODES))('the reason "%s" is a %i (R-005)', (reason, code) => {
  const error = new ApiError(reason as StatusReason, 'why')
  expect([error.code, statusOf(error).code]).toEqual([code, code])
})
