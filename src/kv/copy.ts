// A copy of what a store holds at one revision, page by page: what backups and migrations read.
import type { KeyValue, Revision } from './kv.ts'

export interface CopiedItem extends KeyValue {
  /** How long it is still to be kept; absent: for good. What has expired since the copied revision has a second. */
  readonly ttlSeconds?: number | undefined
}

export interface CopyRequest {
  /** Of the keys to copy. Ends in `/`. */
  readonly prefix: string
  /** Absent: the newest. */
  readonly at?: Revision | undefined
}

/** Open until it is closed. A store that is in use is not held up by it, and not changed. */
export interface StoreCopy {
  /** Every item is as it was at the end of this revision. */
  readonly revision: Revision
  /** How many items there are in all. */
  readonly count: number
  /** In the order of the bytes of their keys; each page some megabytes at most. */
  pages(signal: AbortSignal): AsyncGenerator<readonly CopiedItem[]>
  close(): Promise<void>
}
