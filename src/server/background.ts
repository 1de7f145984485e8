// What runs beside the requests, from when it is opened until everything is closed.
import { CancelledError } from '../lib/errors.ts'

/** Runs until everything is closed. The promise it gives only ever rejects: where that ended by itself. */
export function runInBackground(
  opened: AsyncDisposableStack,
  run: (stop: AbortSignal) => Promise<unknown>,
): Promise<never> {
  const stop = new AbortController()
  const failure = Promise.withResolvers<never>()
  const ended = run(stop.signal).catch((error: unknown) => failure.reject(error))
  // Whoever waits for it is told; if nobody does it is told by the end of the process.
  failure.promise.catch(() => {})
  opened.defer(async () => {
    stop.abort(new CancelledError())
    await ended
  })
  return failure.promise
}
