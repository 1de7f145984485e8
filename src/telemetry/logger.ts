// The real logger, on standard error: one JSON line for each event, or text for people. Secrets never reach the logger. Fields with names
// of secrets are removed anyway.
import { pino } from 'pino'
import type { Log, LogComponent, LogFields, LogFormat, LogLevel } from '../lib/log.ts'
import { printable } from '../lib/printable.ts'
import { textOfLine, type TextStyle } from './log-text.ts'

/** `style` is the style of the text. Undefined: JSON. Every line has `fields`. */
export function openLog(level: LogLevel, style: TextStyle | undefined, fields: LogFields = {}): Log {
  const root = pino(
    {
      level,
      base: fields,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      // JSON does not escape all characters that control a terminal. They are escaped here, which does not change the meaning.
      hooks: {
        streamWrite: (line) => (style === undefined ? printable(line) : textOfLine(printable(line), style)),
      },
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

/** Text on a terminal, and JSON elsewhere, unless a format is requested. Undefined: JSON. */
export function logStyle(
  format: LogFormat | undefined,
  { isTTY = false }: { readonly isTTY?: boolean } = process.stderr,
  { NO_COLOR = '', TERM }: Readonly<Record<string, string | undefined>> = process.env,
): TextStyle | undefined {
  if ((format ?? (isTTY ? 'text' : 'json')) === 'json') return undefined
  return { hasColours: isTTY && NO_COLOR === '' && TERM !== 'dumb', isShort: isTTY }
}
