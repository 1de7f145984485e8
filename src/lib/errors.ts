// The two errors that belong to no room: work that was cancelled, and a bug of our own.

/** The work was given up because its `AbortSignal` fired. Not a fault: never logged, never answered. */
export class CancelledError extends Error {
  override readonly name = 'CancelledError'

  constructor(reason?: unknown) {
    // Its stack is never shown, and to record it is most of its cost.
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
