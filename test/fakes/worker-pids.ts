// The worker processes of a server, as the system knows them.
import { readFileSync } from 'node:fs'
import type { ServerProcess } from './server-process.ts'

/** In the order in which they were started. */
export function workerPids({ child }: Pick<ServerProcess, 'child'>): readonly number[] {
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
  const pids = children.trim().split(/\s+/).filter(Boolean).map(Number)
  return pids.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes('worker'))
}
