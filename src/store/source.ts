// The interface of the whole store for the watch cache: one load of everything, then one ordered stream of every change. Keys are relative
// to the server's prefix. The reader tells types apart.
import type { Content } from './stored-object.ts'

export interface SourceItem {
  /** The key below the server's prefix, such as `pods/default/web`. */
  readonly key: string
  readonly revision: number
  readonly content: Content
}

/** A part of a load. All parts are of one revision, and their items follow each other in the order of keys. */
export interface LoadPage {
  readonly revision: number
  readonly items: readonly SourceItem[]
  readonly total: number
}

export type SourceChange =
  | {
      readonly kind: 'put'
      readonly item: SourceItem
      readonly isNew: boolean
      readonly previous: SourceItem | undefined
    }
  | {
      readonly kind: 'remove'
      readonly key: string
      readonly revision: number
      readonly previous: SourceItem | undefined
    }

/** Complete revisions in order. A batch without changes tells the progress of the stream. */
export interface FeedBatch {
  readonly revision: number
  readonly changes: readonly SourceChange[]
  /** The storage was compacted to this revision. */
  readonly compactedTo: number | undefined
}

export interface Feed extends AsyncIterable<FeedBatch> {
  /** Requests a batch with the progress of the stream. False: this storage cannot do that. */
  requestProgress(): boolean
}

/** Throws the errors of `Store`: `Expired` if the history after `after` is gone. */
export interface Source {
  /** A revision that was the newest at some moment after the call. */
  newestRevision(signal: AbortSignal): Promise<number>
  load(signal: AbortSignal): AsyncIterable<LoadPage>
  /** `withPrevious`: changes have the previous object, if the storage still has it. */
  follow(options: { readonly after: number; readonly withPrevious: boolean }, signal: AbortSignal): Feed
}
