// The worker processes of a server, as the system knows them.
import { readFileSync } from 'node:fs'
import type { ServerProcess } from './server-process.ts'

/** In the order in which they were started; without the spare one, which waits for a place. */
export function workerPids({ child }: Pick<ServerProcess, 'child'>): readonly number[] {
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
  const pids = children.trim().split(/\s+/).filter(Boolean).map(Number)
  return pids.filter((pid) => /\bworker\b(?!\0spare)/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8')))
}
