// The interface of a logger: a constant message and variable fields. `server` has the implementation.

export type LogFields = Readonly<Record<string, unknown>>

/** From everything to nothing. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export const LOG_FORMATS = ['json', 'text'] as const
export type LogFormat = (typeof LOG_FORMATS)[number]

/** The parts of a server with log levels of their own. `server` is everything that belongs to no other part. */
export const LOG_COMPONENTS = [
  'admission',
  'audit',
  'authentication',
  'authorization',
  'cache',
  'certificates',
  'console',
  'controllers',
  'extensions',
  'requests',
  'server',
  'storage',
  'workers',
] as const
export type LogComponent = (typeof LOG_COMPONENTS)[number]

export interface Log {
  /** The log level, which may be changed while it runs. Absent if nothing is logged. */
  level?: string
  /** The same log for a component: its lines have the name, and its level is its own. Absent: all share one. */
  of?(component: LogComponent): Log
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

/** Logs nothing. */
export const SILENT_LOG: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
}

export function logOf(log: Log, component: LogComponent): Log {
  return log.of?.(component) ?? log
}

/** Absent if a log has none. */
export function levelsOf(log: Log): Partial<Record<LogComponent, string>> {
  return Object.fromEntries(
    LOG_COMPONENTS.flatMap((component) => {
      const { level } = logOf(log, component)
      return level === undefined ? [] : [[component, level]]
    }),
  )
}

/** Without a component: the level of all components. */
export function setLogLevel(log: Log, level: string, component?: LogComponent): void {
  for (const part of component === undefined
    ? [log, ...LOG_COMPONENTS.map((one) => logOf(log, one))]
    : [logOf(log, component)]) {
    if (part.level !== undefined) part.level = level
  }
}
