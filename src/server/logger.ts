// The real logger: one JSON line an event on standard error. Secrets never get as far as here; what looks like one is
// struck out all the same.
import { pino } from 'pino'
import type { Log } from '../lib/log.ts'
import type { LogLevel } from '../config/config.ts'

export function openLog(level: LogLevel): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: ['token', 'authorization', '*.token', '*.authorization'], censor: '…' },
    },
    pino.destination({ fd: 2, sync: true }),
  )
}
