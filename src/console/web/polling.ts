// What is asked for again and again while a page is open, and seen.
import { useEffect, useRef, useState } from 'preact/hooks'
import { mayRecover, type Problem, problemOf, RETRY_MS } from './api.ts'

export interface Polled<T> {
  /** The last that was read. */
  readonly value: T | undefined
  /** Why the last attempt failed. */
  readonly problem: Problem | undefined
}

/** Each for itself: what one may not see does not hide what one may. */
export function usePolled<T>(read: () => Promise<T>, everyMs: number): Polled<T> {
  const [polled, setPolled] = useState<Polled<T>>({ value: undefined, problem: undefined })
  useEffect(() => {
    let isOpen = true
    let timer: number | undefined
    const poll = async (): Promise<void> => {
      await untilSeen()
      if (!isOpen) return
      const next = await read().then(
        (value) => ({ value, problem: undefined, afterMs: everyMs }),
        (error: unknown) => ({
          value: undefined,
          problem: problemOf(error),
          afterMs: mayRecover(error) ? Math.min(RETRY_MS, everyMs) : everyMs,
        }),
      )
      if (!isOpen) return
      setPolled((before) => ({ value: next.value ?? before.value, problem: next.problem }))
      timer = window.setTimeout(() => void poll(), next.afterMs)
    }
    void poll()
    return () => {
      isOpen = false
      window.clearTimeout(timer)
    }
  }, [])
  return polled
}

export interface Attempts {
  /** Another number when the work is to be tried again: for the dependencies of the effect that does it. */
  readonly count: number
  readonly problem: Problem | undefined
  /** Without an error: it has succeeded. */
  readonly report: (error?: unknown) => void
}

/** For work that is done once, and again after a failure that may pass. */
export function useAttempts(): Attempts {
  const [count, setCount] = useState(0)
  const [problem, setProblem] = useState<Problem>()
  const timer = useRef<number>(undefined)
  useEffect(() => () => window.clearTimeout(timer.current), [])
  const report = (error?: unknown): void => {
    setProblem(error === undefined ? undefined : problemOf(error))
    window.clearTimeout(timer.current)
    if (error !== undefined && mayRecover(error)) {
      timer.current = window.setTimeout(() => setCount((before) => before + 1), RETRY_MS)
    }
  }
  return { count, problem, report }
}

/** A hidden tab needs no news. */
async function untilSeen(): Promise<void> {
  while (document.hidden) {
    await new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true }))
  }
}
