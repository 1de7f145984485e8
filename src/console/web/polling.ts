// Hooks for requests that are repeated while a page is open and visible.
import { useEffect, useRef, useState } from 'preact/hooks'
import { mayRecover, type Problem, problemOf, RETRY_MS } from './api.ts'

export interface Polled<T> {
  /** The last result. */
  readonly value: T | undefined
  /** The failure of the last attempt. */
  readonly problem: Problem | undefined
}

/** Each request has a state of its own, so that a forbidden one does not hide the others. */
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
  /** Changes when the work must be tried again. Use it as a dependency of the effect. */
  readonly count: number
  readonly problem: Problem | undefined
  /** Call it after each attempt, with the error if there is one. */
  readonly report: (error?: unknown) => void
}

/** For work that is done once, and repeated after a failure that may pass. */
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
