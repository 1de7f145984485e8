// The limit on the number of values in a body: a value takes two bytes to send, a hundred to keep, and is visited by every step
// of a request. Real objects have less than a third of it.
import { ApiError } from '../api/status.ts'

export const MAX_VALUES = 500_000

export function tooManyValues(): ApiError {
  return new ApiError('RequestEntityTooLarge', `Request entity too large: limit is ${MAX_VALUES} values`)
}
