// How many values a body may hold: lists, maps and what is in them. A value takes two bytes to send and a hundred to keep, and is
// looked at by every step of a request; objects that are of any use have less than a third of this.
import { ApiError } from '../api/status.ts'

export const MAX_VALUES = 500_000

export function tooManyValues(): ApiError {
  return new ApiError('RequestEntityTooLarge', `Request entity too large: limit is ${MAX_VALUES} values`)
}
