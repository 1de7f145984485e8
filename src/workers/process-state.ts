// What the system says that a process is doing, for one that does not say it itself.
import { readFileSync } from 'node:fs'

const STATES: Readonly<Record<string, string>> = {
  R: 'it is computing',
  S: 'it is waiting',
  D: 'it is waiting for the disk',
  T: 'it was stopped by a signal',
  t: 'it is being debugged',
}

/** Undefined where it cannot be found out. */
export function processState(pid: number | undefined): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name before it, in brackets, may hold anything.
    return STATES[stat.slice(stat.lastIndexOf(')') + 2).charAt(0)]
  } catch {
    return undefined
  }
}
