// Work that runs beside the requests, from its start until everything is closed.
import { CancelledError } from './errors.ts'

/** Runs until everything is closed, and closing waits for all of it. The promise never resolves. It rejects with the first failure. */
export function runInBackground(
  opened: AsyncDisposableStack,
  run: (stop: AbortSignal) => Promise<unknown> | readonly (Promise<unknown> | undefined)[],
): Promise<never> {
  const stop = new AbortController()
  const failure = Promise.withResolvers<never>()
  const running = [run(stop.signal)].flat().map(async (work) => work?.catch(failure.reject))
  // A caller that awaits the promise gets the error. Without one, the end of the process reports it.
  failure.promise.catch(() => {})
  opened.defer(async () => {
    stop.abort(new CancelledError())
    await Promise.all(running)
  })
  return failure.promise
}
