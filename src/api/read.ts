// The parsed request of a read, and its result. Below this layer, "" and "0" never stand for a revision.
import type { ApiObject } from './object.ts'

/** The moment whose state an answer may show: the cells of the specification's get and list tables. */
export type ReadAt =
  /** A revision that was current at some moment after the request arrived. */
  | { readonly kind: 'latest' }
  /** Any revision in the cache. */
  | { readonly kind: 'any' }
  /** The newest revision in the cache. The read waits until the cache has the given revision. */
  | { readonly kind: 'notOlderThan'; readonly revision: number }
  /** The state exactly as of the revision. */
  | { readonly kind: 'exact'; readonly revision: number }

/** The position at which a page of a list begins, as in a continue token. */
export interface PagePosition {
  /** The revision of the first page. Undefined: the newest revision (the token came with a 410). */
  readonly revision: number | undefined
  /** The first key of the page, relative to the list: `name\0` in one namespace, `namespace/name\0` across all. */
  readonly start: string
  /** The digest of the query that the page belongs to. Absent: the list has no query. */
  readonly query?: string | undefined
  /** The number of objects or rows of an ordered query before the page. */
  readonly skip?: number | undefined
}

/** The moment for a list. A list can also continue after an earlier page. */
export type ListAt = ReadAt | { readonly kind: 'continuation'; readonly position: PagePosition }

export type WatchStart =
  /** The state as of `at` as ADDED events, then the changes. A watch cannot start at an `exact` revision. */
  | { readonly kind: 'state'; readonly at: Exclude<ReadAt, { readonly kind: 'exact' }> }
  /** No initial state; only changes after the newest revision (`latest`), or after the revision of the cache (`any`). */
  | { readonly kind: 'changes'; readonly at: { readonly kind: 'latest' } | { readonly kind: 'any' } }
  /** No initial state; every change after this revision, which may be in the future. */
  | { readonly kind: 'after'; readonly revision: number }

/**
 * A stored object, shared with all readers and never changed in place. The watch cache gives all readers of one version of an object the
 * same record, so that derived data can be remembered by the record.
 */
export interface StoredObject {
  readonly kind: 'object'
  /** Empty for an object of the whole cluster. */
  readonly namespace: string
  readonly name: string
  /** The key of the object below the prefix of its type, if known. */
  readonly key?: string
  /** The value of `metadata.resourceVersion` in `bytes`. */
  readonly revision: number
  /** Canonical JSON in the storage version, with `metadata.resourceVersion`. */
  readonly bytes: Buffer
  /** Parses `bytes` at every call, so callers should keep the result. */
  object(): ApiObject
}

export function isStored(object: ApiObject | StoredObject): object is StoredObject {
  return Buffer.isBuffer((object as StoredObject).bytes)
}

/** An event about one object. All watchers get the same record, so its encodings are worth keeping. */
export interface ObjectEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  /** DELETED: the last state that the watcher could see, with the revision of the change that removed the object. */
  readonly object: StoredObject
  /** MODIFIED: the earlier state, if it is available in the form of `object`. */
  readonly before?: StoredObject | undefined
  /**
   * The time when this server learned of the change, in milliseconds of `performance.now()`. Absent: the event is part of the initial
   * state.
   */
  readonly at: number | undefined
  readonly memo: EncodingMemo
}

/** All events up to the revision were delivered. */
export interface BookmarkEvent {
  readonly type: 'BOOKMARK'
  readonly revision: number
  /** The initial state of the watch is complete. */
  readonly initialEventsEnd: boolean
}

export type WatchEvent = ObjectEvent | BookmarkEvent

/** Encodings of one object or event, each made once, at its first use. */
export class EncodingMemo {
  #encodings: Map<string, Buffer> | undefined

  get(form: string, encode: () => Buffer): Buffer {
    const known = this.#encodings?.get(form)
    if (known !== undefined) return known
    const made = encode()
    this.#encodings ??= new Map()
    this.#encodings.set(form, made)
    return made
  }
}
