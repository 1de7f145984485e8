// Whether a process still runs, as the system tells it.
import { readFileSync } from 'node:fs'

/** A process that has ended and that no parent has reaped (`Z`), or that is being removed (`X`). */
const ENDED = new Set(['Z', 'X'])

/** False for a zombie: in a container, the first process may reap no orphans. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return !ENDED.has(stateOf(pid))
}

/** Empty where the system has no `/proc`, and for a process that is gone by now. */
function stateOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name of the program stands before it in brackets, and may contain anything.
    return stat.charAt(stat.lastIndexOf(')') + 2)
  } catch {
    return ''
  }
}
