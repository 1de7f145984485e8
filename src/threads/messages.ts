// The messages between the main thread and a worker thread. A thread runs a request until the request needs something of the main thread.
// So each message to the thread leads to exactly one message back.
import type { Explanation } from '../api/explanation.ts'
import { parseJsonText } from '../api/json-text.ts'
import type { ApiObject } from '../api/object.ts'
import { ApiError, type StatusDetails, type StatusReason } from '../api/status.ts'
import { CancelledError } from '../lib/errors.ts'

export type ToThread =
  | { readonly kind: 'start'; readonly id: number; readonly input: unknown }
  | { readonly kind: 'reply'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'refuse'; readonly id: number; readonly failure: Failure }
  /** The main thread expects no message back. */
  | { readonly kind: 'abort'; readonly id: number }

export type FromThread = {
  readonly id: number
  /** News of the request since the last message: warnings, annotations. */
  readonly notes: readonly unknown[]
} & (
  | { readonly kind: 'call'; readonly effect: string; readonly argument: unknown }
  | { readonly kind: 'done'; readonly result: unknown }
  | { readonly kind: 'failed'; readonly failure: Failure }
)

/** An error on its way between threads. */
export type Failure =
  | {
      readonly kind: 'refused'
      readonly reason: StatusReason
      readonly message: string
      readonly code: number
      readonly details: StatusDetails | undefined
      readonly explanation: Explanation | undefined
    }
  | { readonly kind: 'cancelled' }
  /** The error that the main thread sent last: the main thread has the original. */
  | { readonly kind: 'returned' }
  | { readonly kind: 'fault'; readonly message: string; readonly stack: string | undefined }

export function failureOf(error: unknown): Failure {
  if (error instanceof ApiError) {
    const { reason, message, code, details, explanation } = error
    return { kind: 'refused', reason, message, code, details, explanation }
  }
  if (error instanceof CancelledError) return { kind: 'cancelled' }
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  return { kind: 'fault', message, stack }
}

export function errorOf(failure: Failure): Error {
  switch (failure.kind) {
    case 'refused': {
      const { reason, message, code, details, explanation } = failure
      return new ApiError(reason, message, { code, explanation, ...(details === undefined ? {} : { details }) })
    }
    case 'cancelled':
      return new CancelledError()
    case 'returned':
      return new Error('the main thread sent no error')
    case 'fault': {
      const error = new Error(failure.message)
      if (failure.stack !== undefined) error.stack = failure.stack
      return error
    }
  }
}

/** Copies bytes that are a view of a larger buffer: a message would copy that whole buffer. */
export function alone(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : Uint8Array.from(bytes)
}

export function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** The object of a text. Undefined: there is no text. */
export function readObject(text: string | undefined): ApiObject | undefined {
  return text === undefined ? undefined : (parseJsonText(text) as ApiObject)
}
