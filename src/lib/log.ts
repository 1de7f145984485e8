// The interface of a logger: a constant message and variable fields. `server` has the implementation.

export type LogFields = Readonly<Record<string, unknown>>

export interface Log {
  /** The log level, which may be changed while it runs. Absent where nothing is logged. */
  level?: string
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
