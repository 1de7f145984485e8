// How a command that goes on until it is told to stop is told.

/** Fires at the first SIGTERM or SIGINT, which asks for a clean stop; the second one does not wait for it. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController()
  const onSignal = (): void => {
    if (stop.signal.aborted) process.exit(1)
    stop.abort()
  }
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal)
  return stop.signal
}
