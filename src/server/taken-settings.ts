// Tells the operator what became of settings that were changed while the server runs.
import type { TakenSettings } from '../config/live-config.ts'
import type { Log } from '../lib/log.ts'

export function tellTaken(log: Log, { applied, needsRestart }: TakenSettings): void {
  if (applied.length > 0) log.info({ flags: applied }, 'changed settings are in effect')
  if (needsRestart.length > 0) log.warn({ flags: needsRestart }, 'changed settings need a restart to take effect')
}
