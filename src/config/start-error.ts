// Errors that keep the server from starting, one line each.

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

/** The reason of a failed system call in words. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const known = REASONS[code]
  if (known !== undefined) return known
  return error instanceof Error ? error.message : String(error)
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'it does not exist',
  EEXIST: 'a file of that name exists',
  EISDIR: 'it is a directory',
  ENOTDIR: 'it is not a directory',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left on the disk',
  EDQUOT: 'disk quota exceeded',
  EADDRINUSE: 'the port is in use',
  EADDRNOTAVAIL: 'the address does not belong to this machine',
}
