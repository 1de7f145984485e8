// The first two lines of a backup, which people can read: the name of the format, and a JSON object that describes the content.
import type { Revision } from '../kv.ts'
import { BackupError } from './backup-error.ts'
import type { SealParameters } from './seal.ts'

export interface BackupHeader {
  /** The revision of the copied state. */
  readonly revision: Revision
  readonly keys: number
  /** The prefix of all keys. */
  readonly prefix: string
  /** The time of the backup, as in RFC 3339. */
  readonly time: string
  /** The version of the program that made the backup. */
  readonly version: string
  readonly compression: 'zstd'
  /** Absent: the backup is not encrypted. */
  readonly encryption?: SealParameters
}

/** Raise this number when older versions of the program can no longer read new backups. */
const FORMAT = 1

/** Stores have 48 bits for a revision. Half of these numbers are left for the revisions after a restore. */
const LARGEST_NUMBER = 2 ** 47

export const LONGEST_LINE = 4096

export function encodeHeader(header: BackupHeader): Buffer {
  return Buffer.from(`quarterdeck backup, format ${FORMAT}\n${JSON.stringify(header)}\n`)
}

export function checkFormat(line: string): void {
  const format = /^quarterdeck backup, format (\d+)\n$/.exec(line)?.[1]
  if (format === undefined) throw new BackupError('it is not a backup')
  if (Number(format) > FORMAT) {
    throw new BackupError(`it is in format ${format}; this version reads formats up to ${FORMAT}; use a newer version`)
  }
}

export function parseHeader(line: string): BackupHeader {
  let header: Partial<BackupHeader>
  try {
    header = JSON.parse(line) as Partial<BackupHeader>
  } catch {
    throw damaged()
  }
  const { revision, keys, prefix, time, version, compression, encryption } = header
  const isWhole =
    isNumberFrom(1, revision) &&
    isNumberFrom(0, keys) &&
    [time, version].every((text) => typeof text === 'string') &&
    typeof prefix === 'string' &&
    /^\/[\x21-\x7e]+\/$/.test(prefix) &&
    compression === 'zstd' &&
    (encryption === undefined || (typeof encryption.salt === 'string' && typeof encryption.keyId === 'string'))
  if (!isWhole) throw damaged()
  return header as BackupHeader
}

function isNumberFrom(least: number, value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= LARGEST_NUMBER
}

function damaged(): BackupError {
  return new BackupError('it is damaged: its header cannot be read')
}
