// The storage port: bytes under keys with revisions, and nothing else. An engine (etcd, embedded, in memory) implements
// `Kv`, and all keep the same contract, which is in `test/contract`.
import { InvariantError } from '../lib/errors.ts'

/**
 * The store's logical clock. Every commit that changes keys adds one, and so does every expiry. The first commit of an empty store makes 2.
 */
export type Revision = number

/** The expected revision of a key that must not exist. */
export const ABSENT: Revision = 0

export interface KeyValue {
  readonly key: string
  /** Shared and never changed in place. */
  readonly value: Buffer
  /** The revision of the write that put this value. */
  readonly revision: Revision
  /** The revision of the write that created the key after it was last absent. */
  readonly createRevision: Revision
}

export interface GetResult {
  /** The newest revision of the store at the time of the read, even if the read is of a past revision. */
  readonly revision: Revision
  readonly item: KeyValue | undefined
}

/**
 * Keys from `start` (inclusive) to `end` (exclusive), in ascending order of their UTF-8 bytes. `prefixRange` makes a range from a prefix.
 */
export interface Range {
  readonly start: string
  readonly end: string
  /** At most this many items; absent: all. */
  readonly limit?: number | undefined
  /** As of the end of this revision; absent: the newest. */
  readonly at?: Revision | undefined
  /** The result has the number of all keys in the range. An engine may have to walk the whole range for that. */
  readonly countAll?: boolean | undefined
}

/** All keys of a range as of one revision. */
export type StreamedRange = Required<Pick<Range, 'start' | 'end'>> & { readonly at: Revision }

export interface ListResult {
  readonly revision: Revision
  readonly items: readonly KeyValue[]
  /** Keys remain in the range after the last item. */
  readonly more: boolean
  /** The number of keys of the range: this page and the pages before and after it. Set if `countAll` is set. */
  readonly count?: number
}

/**
 * The state that a key must have now. `revision`: the revision of its last write, or `ABSENT` if the key must not exist. `notAfter`: the
 * key was not written after this revision, or does not exist.
 */
export type Expectation =
  | { readonly key: string; readonly revision: Revision; readonly notAfter?: undefined }
  | { readonly key: string; readonly revision?: undefined; readonly notAfter: Revision }

/** `current`: the revision of the key; `ABSENT` if it does not exist. */
export function isAsExpected({ revision, notAfter }: Expectation, current: Revision): boolean {
  return notAfter === undefined ? current === revision : current <= notAfter
}

export interface Put {
  readonly key: string
  readonly value: Buffer
  /** The key is deleted after at least this time. Keys that expire together may share a revision. */
  readonly ttlSeconds?: number | undefined
}

export interface Removal {
  readonly key: string
  readonly value?: undefined
}

export interface Commit {
  /** The state of every written key, by its revision, and of other keys that the writer relied on. Each key occurs once. */
  readonly expected: readonly Expectation[]
  /** A removal of a key that is expected to be absent writes nothing. Each key occurs once. */
  readonly writes: readonly (Put | Removal)[]
  /**
   * Each value is computed from the value before it, so two clients may write the same bytes for two different steps. If an engine cannot
   * tell which client made the write, it throws `unknown`. Without this option it tells both clients that they have won, because the stored
   * result is the same.
   */
  readonly isIncrement?: boolean | undefined
}

/** A commit that writes one key. */
export interface PutRequest extends Put {
  readonly expected: Revision
  /** The expectations of other keys. */
  readonly alsoExpected?: readonly Expectation[] | undefined
  readonly isIncrement?: boolean | undefined
}

export interface DeleteRequest {
  readonly key: string
  readonly expected: Revision
}

/**
 * A lost commit is a result and not an error: a key was not as expected, and nothing was written. `current` is the item of the first such
 * key. If several keys were expected, the item may be newer than `revision`.
 */
export type WriteResult =
  | { readonly ok: true; readonly revision: Revision }
  | { readonly ok: false; readonly revision: Revision; readonly current: KeyValue | undefined }

export type KvEvent =
  | {
      readonly kind: 'put'
      readonly key: string
      readonly value: Buffer
      readonly revision: Revision
      readonly createRevision: Revision
      /** The earlier value of the key, if the watch requested it and history still had it. */
      readonly previous?: KeyValue
    }
  | { readonly kind: 'delete'; readonly key: string; readonly revision: Revision; readonly previous?: KeyValue }

/**
 * Whole revisions in ascending order. No revision is split over two batches. A batch without events says that everything up to `revision`
 * was delivered.
 */
export interface Batch<Event = KvEvent> {
  readonly events: readonly Event[]
  readonly revision: Revision
}

export interface WatchRequest {
  readonly prefix: string
  /** Everything after this revision is delivered, exactly once and in order. A watch of a future revision waits for it. */
  readonly after: Revision
  readonly withPrevious?: boolean
}

/** A running watch. Iterate it once. It ends and frees its memory when the loop is left or the signal fires. */
export interface KvWatch<Event = KvEvent> extends AsyncIterable<Batch<Event>> {
  /** Asks for an empty batch soon, with the progress of the watch. False: this version of the engine cannot do that correctly. */
  requestProgress(): boolean
}

/** The used and the allowed disk space of a store, in bytes. */
export interface StoreSize {
  readonly bytes: number
  /**
   * The used part of `bytes`. The rest is free within the file, and is used again before the file grows. For etcd this number may be too
   * high: etcd counts the last freed space only after the next write, and a full store has no next write.
   */
  readonly inUseBytes: number
  /** The size at which writes are refused, and the bytes that are left until then. Undefined: the engine does not know them. */
  readonly limit: { readonly quotaBytes: number; readonly availableBytes: number } | undefined
}

export interface Kv {
  /** `at` absent: a linearizable read. Throws `KvError` `compacted` or `future` if `at` is not available. */
  get(key: string, options: { readonly at?: Revision }, signal: AbortSignal): Promise<GetResult>
  /** Without `at`, a linearizable read, as in `get`. Pages with the same `at` together are the exact state at that revision. */
  list(range: Range, signal: AbortSignal): Promise<ListResult>
  /**
   * Reads a range by one call, in pieces in the order of keys. Resolves with the first piece. Undefined: the engine cannot do this now, and
   * `list` reads the same in pages. An engine without this method can never do it. Throws the errors of `list`, even between two pieces.
   */
  stream?(range: StreamedRange, signal: AbortSignal): Promise<AsyncIterable<readonly KeyValue[]> | undefined>
  /**
   * Makes all writes in one revision, or none. Resolves when the writes are durable. A commit without writes only compares, and its result
   * has the newest revision. Throws `unknown` if the engine cannot find out whether the writes happened.
   */
  commit(commit: Commit, signal: AbortSignal): Promise<WriteResult>
  /**
   * Survives lost connections by itself. Ends by throwing `KvError` `compacted` if the history after `after` is no longer complete,
   * `closed` if the engine was closed, or `CancelledError` when the signal fires.
   */
  watch(request: WatchRequest, signal: AbortSignal): KvWatch
  /** Forgets history before `upTo`. Reads at `upTo` still work. Reads and watches from before `upTo` throw `compacted`. */
  compact(upTo: Revision, signal: AbortSignal): Promise<void>
  /** A revision that was the newest at some moment after the call. */
  newestRevision(signal: AbortSignal): Promise<Revision>
  /** Resolves if the engine can read and write now; otherwise throws the reason. */
  checkHealth(signal: AbortSignal): Promise<void>
  /** The size of the store. Undefined: the store takes no disk space. */
  size(signal: AbortSignal): Promise<StoreSize | undefined>
  /** Ends every watch and waits for all calls. */
  close(): Promise<void>
}

export type KvErrorCode =
  /** The requested revision is no longer in history. `compactRevision` is the oldest revision that still is. */
  | 'compacted'
  | 'future'
  /** No endpoint answered in time, or none can serve (no leader). Nothing was written. */
  | 'unavailable'
  /** A write was sent, and the engine cannot find out whether it happened. */
  | 'unknown'
  /** The store has no space left. Nothing was written, nothing was lost. */
  | 'full'
  /** The key or value is larger than the engine takes. */
  | 'too-large'
  /** The engine refused our credentials or certificate. */
  | 'denied'
  | 'corrupt'
  | 'closed'

export class KvError extends Error {
  override readonly name = 'KvError'
  readonly code: KvErrorCode
  readonly compactRevision: Revision | undefined

  constructor(
    code: KvErrorCode,
    message: string,
    options: { cause?: unknown; compactRevision?: Revision | undefined } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.compactRevision = options.compactRevision
  }
}

type Committer = Pick<Kv, 'commit'>

export function putKey(kv: Committer, request: PutRequest, signal: AbortSignal): Promise<WriteResult> {
  const { key, expected: revision, alsoExpected, isIncrement } = request
  const own: Expectation = { key, revision }
  return kv.commit({ expected: alsoExpected ? [own, ...alsoExpected] : [own], writes: [request], isIncrement }, signal)
}

/** If a removal expects `ABSENT`, it either loses or writes nothing. */
export function removeKey(kv: Committer, { key, expected }: DeleteRequest, signal: AbortSignal): Promise<WriteResult> {
  return kv.commit({ expected: [{ key, revision: expected }], writes: [{ key }] }, signal)
}

/** Throws `InvariantError` if a commit breaks the rules of `Commit`, which is a bug. */
export function checkCommit({ expected, writes }: Commit): void {
  const [first] = expected
  for (const { key } of expected) checkKey(key)
  const isSingle = expected.length === 1 && first!.revision !== undefined && writes.length <= 1
  if (isSingle && (writes[0] ?? first)!.key === first!.key) return
  const named = new Set(expected.map(({ key }) => key))
  const known = new Set(expected.flatMap(({ key, revision }) => (revision === undefined ? [] : [key])))
  const written = new Set(writes.map(({ key }) => key))
  if (named.size < expected.length || written.size < writes.length || !written.isSubsetOf(known)) {
    throw new InvariantError('a commit names a key twice, or writes a key without its expected revision')
  }
}

/** Throws if the key is empty or not well-formed. Keys are stored as UTF-8, so a key that is not well-formed would become another key. */
export function checkKey(key: string): void {
  if (key === '' || !key.isWellFormed()) throw new InvariantError(`not a key: ${JSON.stringify(key)}`)
}

/** The range of all keys that begin with `prefix`. The prefix must end in an ASCII character below `\x7f` (our prefixes end in `/`). */
export function prefixRange(prefix: string): { start: string; end: string } {
  const last = prefix.charCodeAt(prefix.length - 1)
  return { start: prefix, end: prefix.slice(0, -1) + String.fromCharCode(last + 1) }
}
