// Whether faults can be injected into this server: where the program around it asks for that, and with `--dev`.
import type { Config } from '../config/config.ts'
import type { FaultInjector } from '../faults/faults.ts'
import type { Log } from '../lib/log.ts'

interface FaultOrder {
  readonly config: Config
  readonly log: Log
  readonly injectsFaults?: boolean
}

export async function openFaults({
  config,
  log,
  injectsFaults = config.dev,
}: FaultOrder): Promise<FaultInjector | undefined> {
  if (!injectsFaults) return undefined
  if (config.dev) log.warn({}, '--dev: administrators can inject faults at /debug/faults')
  const { FaultInjector } = await import('../faults/faults.ts')
  return new FaultInjector(log)
}
