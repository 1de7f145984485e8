// Faults in single fields of an object: what validation returns, and how several become one `Invalid` error.
import type { Value } from './value.ts'
import type { StatusCause } from './status.ts'

/** The `reason` of a cause in a Status. */
export type FieldErrorReason =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'
  | 'InternalError'

export interface FieldError {
  readonly reason: FieldErrorReason
  /** `spec.containers[0].name`, `metadata.labels[a/b]`, `data[k]`. */
  readonly field: string
  /** The text of the cause, without the field: `Invalid value: "x": must be …`. */
  readonly message: string
  /** What was there, where the message shows it. */
  readonly value?: Value
}

export function causeOf(error: FieldError): StatusCause {
  return { reason: error.reason, message: error.message, field: error.field }
}
