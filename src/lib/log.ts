// The interface of a logger: a constant message and variable fields. `telemetry/logger.ts` has the implementation.

export type LogFields = Readonly<Record<string, unknown>>

/** `debug` logs all messages, and `silent` none. */
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
  /** The log level, which may be changed at any time. Absent: nothing is logged. */
  level?: string
  /** The log of a component, with the name in its lines and a level of its own. Absent: all components share one log. */
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

/** The level of each component whose log has a level. */
export function levelsOf(log: Log): Partial<Record<LogComponent, string>> {
  return Object.fromEntries(
    LOG_COMPONENTS.flatMap((component) => {
      const { level } = logOf(log, component)
      return level === undefined ? [] : [[component, level]]
    }),
  )
}

/** Sets the level of one component. If `component` is absent, it sets all levels. */
export function setLogLevel(log: Log, level: string, component?: LogComponent): void {
  for (const part of component === undefined
    ? [log, ...LOG_COMPONENTS.map((one) => logOf(log, one))]
    : [logOf(log, component)]) {
    if (part.level !== undefined) part.level = level
  }
}
