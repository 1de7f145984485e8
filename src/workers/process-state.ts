// The state of a process that does not answer, as the system shows it.
import { readFileSync } from 'node:fs'

const STATES = {
  R: 'it is computing',
  S: 'it is waiting',
  D: 'it is waiting for the disk',
  T: 'it was stopped by a signal',
  t: 'it is being debugged',
} as const

export type ProcessState = (typeof STATES)[keyof typeof STATES]

/** Undefined if the system does not tell. */
export function processState(pid: number | undefined): ProcessState | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The state follows the name of the process. The name is in brackets, and may itself contain brackets.
    return STATES[stat.charAt(stat.lastIndexOf(')') + 2) as keyof typeof STATES]
  } catch {
    return undefined
  }
}
