// The interfaces for backups and migrations: a copy of the content of a store at one revision, page by page, and a store that can be
// restored.
import type { KeyValue, Kv, Revision } from './kv.ts'

export interface CopiedItem extends KeyValue {
  /** The remaining time to live. Absent: the item does not expire. An item that has expired since the copied revision gets one second. */
  readonly ttlSeconds?: number | undefined
}

export interface CopyRequest {
  /** The prefix of the keys to copy. Ends in `/`. */
  readonly prefix: string
  /** Absent: the newest. */
  readonly at?: Revision | undefined
  /** If true, an embedded store must not be in use, and no other program can open it meanwhile. */
  readonly exclusive?: boolean | undefined
  /**
   * The copy includes items with damaged records: they have marks in place of their values (`damaged-value.ts`). Otherwise the copy fails
   * at the first damaged item.
   */
  readonly takesDamaged?: boolean | undefined
}

/** Must be closed. The copy neither delays nor changes a store in use. */
export interface StoreCopy {
  /** Every item is as it was at the end of this revision. */
  readonly revision: Revision
  /** The number of all items. */
  readonly count: number
  /** Pages of items in the order of the bytes of their keys. A page has some megabytes at most. */
  pages(signal: AbortSignal): AsyncGenerator<readonly CopiedItem[]>
  /** The first key of the store that is not before this text, under any prefix. Undefined: none. */
  firstKey(from: string, signal: AbortSignal): Promise<string | undefined>
  /** The newest revision that the store has now. */
  newestRevision(signal: AbortSignal): Promise<Revision>
  close(): Promise<void>
}

export interface SkipRequest {
  /** The next write after the skip gets a higher revision. */
  readonly revision: Revision
  /** A key that an engine may write again and again, if it cannot skip revisions otherwise. Such an engine leaves the key with `value`. */
  readonly key: string
  readonly value: Buffer
  /** Called now and then. */
  readonly onProgress: (revision: Revision) => void
}

export interface RestorableKv extends Kv {
  /** The approximate speed of `skipTo`. Absent: it takes no time. */
  readonly revisionsPerSecond?: number
  /** Skips revisions, as if they had been written and compacted. The store must have no watches. */
  skipTo(request: SkipRequest, signal: AbortSignal): Promise<void>
}
