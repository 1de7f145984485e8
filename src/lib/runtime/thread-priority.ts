// The scheduling priority of single threads. Linux schedules each thread by its own niceness, though Node promises that for processes only.
// In a test on two processors, threads refused reviews of 3 MB from eight clients. With the lower priority of these threads, a GET of
// another client took 1.6 ms (median) and 13 ms (99th percentile). Without it, the GET took 8 and 60 ms. If the system has no niceness of
// threads, all threads compete as equals.
import { readlinkSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

/** Lowers the priority of the calling thread. */
export function lowerThreadPriority(by: number): void {
  try {
    const id = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    setPriority(id, Math.min(19, getPriority(id) + by))
  } catch {
    // The system has no niceness of threads, or does not let this process change it.
  }
}
