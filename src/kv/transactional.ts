// The functions that etcd's API needs from an engine beyond the port (`kv.ts`): transactions of several steps, the number of writes of each
// key, leases, and keys of any bytes.
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { GetResult, Kv, KeyValue, KvWatch, ListResult, Range, Revision } from './kv.ts'

/** 64 bits, chosen by the client that requested the lease, or by the server. */
export type LeaseId = bigint

export const NO_LEASE: LeaseId = 0n

/**
 * A byte of the key that is not UTF-8 is a lone surrogate (`key-text.ts`). Other members are as in the port. `version`, `lease` and `sub`
 * are not enumerable, so that users of the port see a `KeyValue`.
 */
export interface StoredItem extends KeyValue {
  /** The number of puts since the key was last absent, this one included. */
  readonly version: number
  readonly lease: LeaseId
  /** The number of the put among the changes of its revision, from 0. */
  readonly sub: number
}

/** One change of one key. */
export interface StoredChange {
  readonly key: string
  readonly revision: Revision
  /** The number of the change among the changes of its revision, from 0. */
  readonly sub: number
  /** The new value; absent: a delete. */
  readonly item: StoredItem | undefined
  /** The time when the key expires without a lease, in milliseconds since 1970. 0: it does not expire that way. */
  readonly deadlineMs: number
}

/** The content of a store at one moment, for long reads. Until it is disposed of, the store cannot free data that is deleted meanwhile. */
export interface StoredHistory extends Disposable {
  readonly newest: Revision
  /** The oldest revision that can be read. */
  readonly oldest: Revision
  /** All leases, with their requested seconds. */
  readonly leases: readonly (readonly [LeaseId, number])[]
  /**
   * Puts for the state at the oldest revision, followed by every later change. They come in the order of the changes, in pieces. The event
   * loop runs between pieces. Every call returns the same changes.
   */
  changes(signal: AbortSignal): AsyncIterable<readonly StoredChange[]>
  /** Whether the value of this put is still current at the revision `at`. */
  isCurrentAt(change: StoredChange, at: Revision): boolean
}

export type StoredEvent =
  | { readonly kind: 'put'; readonly item: StoredItem; readonly previous: StoredItem | undefined }
  | {
      readonly kind: 'delete'
      readonly key: string
      readonly revision: Revision
      readonly previous: StoredItem | undefined
    }

/** Keys from `start` to `end`, in the order of their bytes. */
export interface KeyRange {
  readonly start: string
  /** Exclusive. Undefined: to the last key. */
  readonly end: string | undefined
}

export type StoredRange = KeyRange & Omit<Range, 'start' | 'end'>

export interface RangeWatchRequest extends KeyRange {
  readonly after: Revision
  readonly withPrevious: boolean
}

/** Reads see the transaction's own writes. All its writes have one revision. */
export interface Transaction {
  /** The newest revision before the transaction. */
  readonly before: Revision
  /** The newest revision, which is the transaction's own after its first write. */
  readonly newest: Revision
  get(key: string): StoredItem | undefined
  /** At most `limit` items. */
  items(range: KeyRange, limit: number): readonly StoredItem[]
  keys(range: KeyRange): readonly string[]
  put(put: { readonly key: string; readonly value: Buffer; readonly lease: LeaseId }): void
  /** The key must exist. */
  remove(key: string): void
  /** Returns the number of removed keys. The removal of many keys may take several turns of the event loop. No reader sees a part of it. */
  removeRange(range: KeyRange): MaybePromise<number>
  /** The duration for which the lease was granted. Undefined: the lease does not exist. */
  secondsOfLease(lease: LeaseId): number | undefined
  keysOfLease(lease: LeaseId): readonly string[]
  grantLease(lease: LeaseId, seconds: number): void
  /** The keys of the lease must be removed before. */
  forgetLease(lease: LeaseId): void
}

export interface TransactionRequest<Result> {
  /** The size of all values that the transaction may put. */
  readonly bytes: number
  /** Whether the transaction puts nothing. Such a transaction is allowed without free space. */
  readonly freesSpace: boolean
  /** Decides and writes. It may await only the methods of the transaction. If it throws, nothing is written. */
  readonly run: (transaction: Transaction) => MaybePromise<Result>
}

export interface StoredListResult extends ListResult {
  readonly items: readonly StoredItem[]
}

export interface StoredGetResult extends GetResult {
  readonly item: StoredItem | undefined
}

export interface TransactionalKv extends Kv {
  /** The oldest revision that can be read. */
  readonly oldest: Revision
  get(key: string, options: { readonly at?: Revision }, signal: AbortSignal): Promise<StoredGetResult>
  list(range: StoredRange, signal: AbortSignal): Promise<StoredListResult>
  /** Resolves when the transaction's writes, and everything that it has read, are durable. */
  transact<Result>(request: TransactionRequest<Result>, signal: AbortSignal): Promise<Result>
  watchRange(request: RangeWatchRequest, signal: AbortSignal): KvWatch<StoredEvent>
  /** All leases, with their requested seconds. */
  leases(): Iterable<readonly [LeaseId, number]>
  openHistory(): StoredHistory
}
