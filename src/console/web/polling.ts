// What is asked for again and again while a page is open, and seen.
import { useEffect, useState } from 'preact/hooks'
import { messageOf } from './api.ts'

export interface Polled<T> {
  /** The last that was read. */
  readonly value: T | undefined
  /** Why the last attempt failed. */
  readonly problem: string | undefined
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
        (value) => ({ value, problem: undefined }),
        (error: unknown) => ({ value: undefined, problem: messageOf(error) }),
      )
      if (!isOpen) return
      setPolled((before) => ({ value: next.value ?? before.value, problem: next.problem }))
      timer = window.setTimeout(() => void poll(), everyMs)
    }
    void poll()
    return () => {
      isOpen = false
      window.clearTimeout(timer)
    }
  }, [])
  return polled
}

/** Nobody sees what a hidden tab shows. */
async function untilSeen(): Promise<void> {
  while (document.hidden) {
    await new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true }))
  }
}
