// The two errors that all folders share: for work that was cancelled, and for a bug of our own.

/** The work was given up because its `AbortSignal` fired. Not a fault: never logged, never answered. */
export class CancelledError extends Error {
  override readonly name = 'CancelledError'

  constructor(reason?: unknown) {
    // The stack of this error is never shown, and recording a stack is most of the cost of an error.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super('cancelled', { cause: reason })
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** A promise of our own code was broken. This is a bug: logged with its stack, answered with 500. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError'
}

/** Throws `CancelledError` if the signal has fired. */
export function throwIfCancelled(signal: AbortSignal): void {
  if (signal.aborted) throw new CancelledError(signal.reason)
}

/** The message of an error. Anything else that was thrown is shown as a text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
