// The real logger: one JSON line an event on standard error. Secrets never get as far as here; what looks like one is
// struck out all the same.
import { pino } from 'pino'
import type { Log, LogComponent, LogFields, LogLevel } from '../lib/log.ts'
import { printable } from '../lib/printable.ts'

/** `fields` are those of every line. */
export function openLog(level: LogLevel, fields: LogFields = {}): Log {
  const root = pino(
    {
      level,
      base: fields,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      // JSON leaves some characters that terminals obey; the escaped ones mean the same.
      hooks: { streamWrite: printable },
      redact: { paths: ['token', 'authorization', '*.token', '*.authorization'], censor: '…' },
    },
    pino.destination({ fd: 2, sync: true }),
  )
  const parts = new Map<LogComponent, Log>([['server', root]])
  const of = (component: LogComponent): Log => {
    const known = parts.get(component)
    if (known !== undefined) return known
    const made = root.child({ component })
    parts.set(component, made)
    return made
  }
  return Object.assign(root, { of })
}
