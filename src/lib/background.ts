// Runs work beside the requests, until the caller disposes of its resources.
import { CancelledError } from './errors.ts'

/** Starts `run`. Disposing of `opened` fires the signal and waits for the work. The promise only rejects, with the first failure. */
export function runInBackground(
  opened: AsyncDisposableStack,
  run: (stop: AbortSignal) => Promise<unknown> | readonly (Promise<unknown> | undefined)[],
): Promise<never> {
  const stop = new AbortController()
  const failure = Promise.withResolvers<never>()
  const running = [run(stop.signal)].flat().map(async (work) => work?.catch(failure.reject))
  // A caller that awaits the promise gets the error. If no caller awaits the promise, this handler keeps Node from ending the process.
  failure.promise.catch(() => {})
  opened.defer(async () => {
    stop.abort(new CancelledError())
    await Promise.all(running)
  })
  return failure.promise
}
