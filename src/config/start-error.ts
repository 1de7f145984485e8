// Errors that keep the server from starting, one line each.
import path from 'node:path'
import { reasonOf } from '../lib/system-reason.ts'

export { reasonOf }

export class StartError extends Error {
  override readonly name = 'StartError'
  /** 2: the command line or the configuration is invalid. 1: something else failed. */
  readonly exitCode: 1 | 2

  constructor(message: string, options: { exitCode?: 1 | 2; cause?: unknown } = {}) {
    super(message.replace(/\s*\n\s*/g, ' '), options.cause === undefined ? undefined : { cause: options.cause })
    this.exitCode = options.exitCode ?? 1
  }
}

export function usageError(message: string): StartError {
  return new StartError(message, { exitCode: 2 })
}

export function cannotListen(
  { host, port }: { readonly host: string; readonly port: number },
  cause: unknown,
  flag = '',
): StartError {
  const where = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
  return new StartError(`${flag}cannot listen on ${where}: ${reasonOf(cause)}`, { cause })
}

/**
 * The error for a file that cannot be written. If no file can be created in its directory (such as /proc), the system says that the file
 * does not exist.
 */
export function unwritable(file: string, cause: unknown): StartError {
  const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT'
  const reason = isMissing ? `no file can be created in ${path.dirname(file)}` : reasonOf(cause)
  return new StartError(`${file} cannot be written: ${reason}`, { cause })
}

/** The reason of an error that has no message of ours, with the file if the system names it. */
export function failureOf(error: unknown): string {
  const reason = reasonOf(error)
  const { path: file, message } = error as { readonly path?: unknown; readonly message?: unknown }
  return typeof file === 'string' && reason !== message ? `${file}: ${reason}` : reason
}
