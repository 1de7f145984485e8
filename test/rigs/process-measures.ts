// What another process of this machine has used, as Linux counts it.
import { readdirSync, readFileSync } from 'node:fs'

type Pid = number | undefined

/** What its event loop has had so far. */
export function loopMillisecondsOf(pid: Pid): number {
  return scheduledMs(pid, String(pid))
}

/** What all of its threads have had so far, in hundredths of a second. */
export function processorMillisecondsOf(pid: Pid): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** The same to the microsecond, but for threads that have ended. */
export function threadMillisecondsOf(pid: Pid): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, id) => sum + scheduledMs(pid, id), 0)
}

/** The time for which its threads had work and no processor. */
export function starvedMillisecondsOf(pid: Pid): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, id) => sum + scheduledMs(pid, id, 1), 0)
}

export function residentBytesOf(pid: Pid): number {
  return bytesOf(pid, 'VmRSS')
}

/** The most that it has had so far. */
export function peakBytesOf(pid: Pid): number {
  return bytesOf(pid, 'VmHWM')
}

function scheduledMs(pid: Pid, thread: string, field = 0): number {
  return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[field]) / 1e6
}

function bytesOf(pid: Pid, what: string): number {
  return 1_024 * Number(new RegExp(`^${what}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}
