// Hooks for requests that are repeated: while a page is open and visible, or until they succeed.
import { useEffect, useRef, useState } from 'preact/hooks'
import { mayRecover, type Problem, problemOf, RETRY_MS } from './api.ts'

export interface Polled<T> {
  /** The last result. */
  readonly value: T | undefined
  /** The failure of the last attempt. */
  readonly problem: Problem | undefined
}

/** For requests that are repeated only after a failure that may pass, and after a change of `news`. */
export const ONCE = Infinity

/**
 * Each request has a state of its own, so that a forbidden request does not hide the others. A hidden tab sends no requests. It sends one
 * as soon as it is visible again. A change of `news` repeats the request. If a request is open then, the next one follows its answer.
 */
export function usePolled<T>(read: (signal: AbortSignal) => Promise<T>, everyMs: number, news?: unknown): Polled<T> {
  const [polled, setPolled] = useState<Polled<T>>({ value: undefined, problem: undefined })
  const latest = useRef(read)
  latest.current = read
  const again = useRef<() => void>(undefined)
  useEffect(() => {
    const closing = new AbortController()
    const { signal } = closing
    let timer: number | undefined
    let [isBusy, isLate] = [false, false]
    const poll = async (): Promise<void> => {
      isLate = isBusy || document.hidden
      if (isLate || signal.aborted) return
      isBusy = true
      window.clearTimeout(timer)
      const next = await latest.current(signal).then(
        (value) => ({ value, problem: undefined, afterMs: everyMs }),
        (error: unknown) => ({
          value: undefined,
          problem: problemOf(error),
          afterMs: mayRecover(error) ? Math.min(RETRY_MS, everyMs) : everyMs,
        }),
      )
      isBusy = false
      if (signal.aborted) return
      setPolled((before) => ({ value: next.value ?? before.value, problem: next.problem }))
      const afterMs = isLate ? 0 : next.afterMs
      if (afterMs !== ONCE) timer = window.setTimeout(() => void poll(), afterMs)
    }
    const look = (): void => {
      if (isLate || everyMs !== ONCE) void poll()
    }
    again.current = () => void poll()
    document.addEventListener('visibilitychange', look)
    return () => {
      closing.abort()
      window.clearTimeout(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [])
  useEffect(() => again.current?.(), [news])
  return polled
}
