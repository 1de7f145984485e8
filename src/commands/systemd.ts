// Reports the state of the server to systemd (`Type=notify`). Node has no datagram sockets on paths, so the server runs `systemd-notify`.
import { execFile } from 'node:child_process'
import type { Environment } from '../config/config.ts'
import type { Log } from '../lib/log.ts'

export type ServiceState = 'READY=1' | 'STOPPING=1'

/** Resolves after the report. The server continues after a failure, which is logged. */
export function tellSystemd(environment: Environment, log: Log, state: ServiceState, status: string): Promise<void> {
  if (environment['NOTIFY_SOCKET'] === undefined) return Promise.resolve()
  const args = [`--pid=${process.pid}`, state, `STATUS=${status}`]
  return new Promise((resolve) => {
    execFile('systemd-notify', args, (error) => {
      if (error !== null) log.warn({ err: error }, 'could not notify systemd')
      resolve()
    })
  })
}
