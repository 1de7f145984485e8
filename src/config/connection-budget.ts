// The limits on connections, on concurrent requests, and on the memory of incomplete requests and unread responses.
import { readFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { integer, type SettingReader } from './setting-reader.ts'
import type { Setting } from './settings.ts'
import { usageError } from './start-error.ts'

const MOST_CONNECTIONS = 20_000
/** The share of the open files for connections. The other files are for the store, for outgoing calls and for the disk. */
const SHARE_OF_FILES = 0.75
/** The usual limit of systems, if the real one is unknown. */
const USUAL_FILES = 1024

const MIB = 1024 * 1024
const SHARE_OF_MEMORY = 1 / 8
/** A connection may have this share of the unfinished bytes, but at most the bytes that a real client needs. */
const SHARE_OF_CONNECTION = 1 / 4
const ENOUGH_FOR_ONE = 64 * MIB

export function maxConnections(setting: Setting | undefined): number {
  if (setting !== undefined) return integer(setting, 1, 10_000_000)
  return Math.min(MOST_CONNECTIONS, Math.floor(openFiles() * SHARE_OF_FILES))
}

/** The number of files that the process may open. Node has raised this number to the maximum. */
function openFiles(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? USUAL_FILES)
  } catch {
    return USUAL_FILES
  }
}

export interface UnfinishedLimits {
  readonly totalBytes: number
  readonly perConnectionBytes: number
}

export function unfinishedLimits(setting: Setting | undefined): UnfinishedLimits {
  const totalBytes = setting === undefined ? usualUnfinishedBytes() : integer(setting, MIB, 2 ** 48)
  return { totalBytes, perConnectionBytes: Math.min(ENOUGH_FOR_ONE, totalBytes * SHARE_OF_CONNECTION) }
}

function usualUnfinishedBytes(): number {
  // The memory limit of the control group counts too, if there is one.
  const memory = Math.min(totalmem(), process.constrainedMemory() || Infinity)
  return Math.min(512 * MIB, Math.max(128 * MIB, Math.floor(memory * SHARE_OF_MEMORY)))
}

interface RequestLimits {
  readonly priorityAndFairness: boolean
  readonly maxReads: number
  readonly maxWrites: number
}

export function requestLimits(read: Pick<SettingReader, 'required' | 'switch'>): RequestLimits {
  const priorityAndFairness = read.switch('enable-priority-and-fairness')
  const maxReads = integer(read.required('max-requests-inflight'), 0, 1_000_000)
  const maxWrites = integer(read.required('max-mutating-requests-inflight'), 0, 1_000_000)
  if (priorityAndFairness && maxReads + maxWrites === 0) {
    const flags = '--max-requests-inflight and --max-mutating-requests-inflight'
    throw usageError(`${flags}: one of them must be above 0 with --enable-priority-and-fairness`)
  }
  return { priorityAndFairness, maxReads, maxWrites }
}
