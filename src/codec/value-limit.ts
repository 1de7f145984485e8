// The limit on the number of values in a body. A value takes two bytes to send and a hundred to keep, and every step of a request visits
// it. Real objects have less than a third of this number.
import { ApiError } from '../api/status.ts'

export const MAX_VALUES = 500_000

export function tooManyValues(): ApiError {
  return new ApiError('RequestEntityTooLarge', `Request entity too large: limit is ${MAX_VALUES} values`)
}
