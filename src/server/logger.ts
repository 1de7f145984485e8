// The real logger: one JSON line an event on standard error. Secrets never get as far as here; what looks like one is
// struck out all the same.
import { pino } from 'pino'
import type { Log, LogFields } from '../lib/log.ts'
import type { LogLevel } from '../config/config.ts'

/** `fields` are those of every line. */
export function openLog(level: LogLevel, fields: LogFields = {}): Log {
  return pino(
    {
      level,
      base: fields,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: ['token', 'authorization', '*.token', '*.authorization'], censor: '…' },
    },
    pino.destination({ fd: 2, sync: true }),
  )
}
