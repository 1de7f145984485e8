// Errors in words.
import { messageOf } from './errors.ts'

/** The reason of a failed system call in words. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return REASONS[code] ?? messageOf(error)
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
