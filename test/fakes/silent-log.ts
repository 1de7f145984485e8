// A logger for tests that do not look at what is logged.
import type { Log } from '../../src/lib/log.ts'

export const SILENT_LOG: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
}
