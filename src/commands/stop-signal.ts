// The signal that stops a command.

/** Fires at the first SIGTERM or SIGINT, for a clean stop. The second one ends the process at once. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController()
  const onSignal = (): void => {
    if (stop.signal.aborted) process.exit(1)
    stop.abort()
  }
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal)
  return stop.signal
}
