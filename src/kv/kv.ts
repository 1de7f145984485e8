// The storage port: bytes under keys with revisions, and nothing else. An engine (etcd, embedded, in memory) implements
// `Kv`, and all keep the same contract, which is in `test/contract`.
import { InvariantError } from '../lib/errors.ts'

/** The store's logical clock. Every write of a key adds one. The first write of an empty store makes 2. */
export type Revision = number

/** The expected revision of a key that must not exist. */
export const ABSENT: Revision = 0

export interface KeyValue {
  readonly key: string
  /** Shared and never changed in place. */
  readonly value: Buffer
  /** The revision of the write that put this value. */
  readonly revision: Revision
  /** The revision of the write that made the key, since it was last absent. */
  readonly createRevision: Revision
}

export interface GetResult {
  /** The store's newest revision when it was read (at a past revision: still the newest). */
  readonly revision: Revision
  readonly item: KeyValue | undefined
}

/** Keys from `start` (inclusive) to `end` (exclusive), in ascending order of their UTF-8 bytes. `prefixRange` makes one. */
export interface Range {
  readonly start: string
  readonly end: string
  /** At most this many items; absent: all. */
  readonly limit?: number | undefined
  /** As of the end of this revision; absent: the newest. */
  readonly at?: Revision | undefined
  /** Also say how many keys are in the range in all; an engine may have to walk it for that. */
  readonly countAll?: boolean | undefined
}

/** All keys of a range as of one revision. */
export type StreamedRange = Required<Pick<Range, 'start' | 'end'>> & { readonly at: Revision }

export interface ListResult {
  readonly revision: Revision
  readonly items: readonly KeyValue[]
  /** Keys remain in the range behind the last item. */
  readonly more: boolean
  /** The number of keys of the range: this page and the pages before and behind it. Set if `countAll` was. */
  readonly count?: number
}

/**
 * The state that a key must have now. `revision`: of its last write; `ABSENT`: the key must not exist. `notAfter`: the key was not written after
 * this revision, or does not exist.
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
  /** The key is deleted after at least this long; keys that expire together may share a revision. */
  readonly ttlSeconds?: number | undefined
}

export interface Removal {
  readonly key: string
  readonly value?: undefined
}

export interface Commit {
  /** The state of every key that is written, by its revision, and of others that the writer has relied on. A key is named once. */
  readonly expected: readonly Expectation[]
  /** A removal of a key that is expected to be absent writes nothing. A key is written once. */
  readonly writes: readonly (Put | Removal)[]
  /**
   * The values are made from the ones before, so that two clients may write the same bytes and mean two steps. If an engine cannot tell whose
   * write it was, it throws `unknown`. Otherwise both clients are told that they have won: the result is the same.
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
 * Losing is a value: a key was not as expected, and nothing was written. `current` is the value of the first such key. If several
 * keys were expected, it may be newer than `revision`.
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
      /** The earlier value under the key; only if the watch requested it, and it was still in history. */
      readonly previous?: KeyValue
    }
  | { readonly kind: 'delete'; readonly key: string; readonly revision: Revision; readonly previous?: KeyValue }

/** Whole revisions in ascending order, none split over two batches. No events: everything up to `revision` was delivered. */
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

/** A running watch. Iterate it once. Leaving the loop, or the signal, ends it and frees its memory. */
export interface KvWatch<Event = KvEvent> extends AsyncIterable<Batch<Event>> {
  /** Asks for an empty batch soon, with the progress of the watch. False: this version of the engine cannot do that correctly. */
  requestProgress(): boolean
}

/** The used and the allowed disk space of a store, in bytes. */
export interface StoreSize {
  readonly bytes: number
  /**
   * The rest is free within the file, and is used again before the file grows. For etcd this may be too high: the last freed space is counted
   * only after the next write, and without space there is no next write.
   */
  readonly inUseBytes: number
  /** The size at which writes are refused. Undefined: the engine does not know it. */
  readonly limit: { readonly quotaBytes: number; readonly availableBytes: number } | undefined
}

export interface Kv {
  /** `at` absent: a linearizable read. Throws `KvError` `compacted` or `future` if `at` is not available. */
  get(key: string, options: { readonly at?: Revision }, signal: AbortSignal): Promise<GetResult>
  /** As `get`: without `at` a linearizable read. Pages at one `at` together are that revision's exact state. */
  list(range: Range, signal: AbortSignal): Promise<ListResult>
  /**
   * Reads a range by one call, in pieces in the order of keys. Resolves with the first piece. Undefined: the engine cannot do this now; `list`
   * reads the same in pages. Absent: the engine can never do it. Throws as `list` does, also between two pieces.
   */
  stream?(range: StreamedRange, signal: AbortSignal): Promise<AsyncIterable<readonly KeyValue[]> | undefined>
  /**
   * Writes all in one revision, or nothing. Resolves when the writes are durable. Without anything to write it only compares, and the
   * revision is the newest one. Throws `unknown` if the engine cannot find out whether it happened.
   */
  commit(commit: Commit, signal: AbortSignal): Promise<WriteResult>
  /**
   * Survives lost connections by itself. Ends by throwing `KvError` `compacted` if history before `after + 1` is gone, `closed` if the engine was
   * closed, `CancelledError` when the signal fires.
   */
  watch(request: WatchRequest, signal: AbortSignal): KvWatch
  /** Forgets history before `upTo`: reads at it still work, reads and watches from before it throw `compacted`. */
  compact(upTo: Revision, signal: AbortSignal): Promise<void>
  /** The newest revision, known to be current at some moment after the call. */
  newestRevision(signal: AbortSignal): Promise<Revision>
  /** Resolves if the engine can read and write now; otherwise throws the reason. */
  checkHealth(signal: AbortSignal): Promise<void>
  /** The size of the store. Undefined: it takes no disk. */
  size(signal: AbortSignal): Promise<StoreSize | undefined>
  /** Ends every watch and waits for all calls. */
  close(): Promise<void>
}

export type KvErrorCode =
  /** The requested revision is no longer in history. `compactRevision` is the oldest that is. */
  | 'compacted'
  | 'future'
  /** No endpoint answered in time, or none can serve (no leader). Nothing was written. */
  | 'unavailable'
  /** A write was sent and it cannot be found out whether it happened. */
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

/** A removal that expects `ABSENT` loses, or finds nothing and writes nothing. */
export function removeKey(kv: Committer, { key, expected }: DeleteRequest, signal: AbortSignal): Promise<WriteResult> {
  return kv.commit({ expected: [{ key, revision: expected }], writes: [{ key }] }, signal)
}

/** Throws if a commit breaks the rules of the port: that is a bug. */
export function checkCommit({ expected, writes }: Commit): void {
  const [first] = expected
  for (const { key } of expected) checkKey(key)
  const isSingle = expected.length === 1 && first!.revision !== undefined && writes.length <= 1
  if (isSingle && (writes[0] ?? first)!.key === first!.key) return
  const named = new Set(expected.map(({ key }) => key))
  const known = new Set(expected.flatMap(({ key, revision }) => (revision === undefined ? [] : [key])))
  const written = new Set(writes.map(({ key }) => key))
  if (named.size < expected.length || written.size < writes.length || !written.isSubsetOf(known)) {
    throw new InvariantError('a commit names a key twice, or writes one without its expected revision')
  }
}

/** A key that is not well-formed would be stored as another one, since it is stored as UTF-8. */
export function checkKey(key: string): void {
  if (key === '' || !key.isWellFormed()) throw new InvariantError(`not a key: ${JSON.stringify(key)}`)
}

/** The range of all keys that begin with `prefix`, which must end in an ASCII character below `\x7f` (ours end in `/`). */
export function prefixRange(prefix: string): { start: string; end: string } {
  const last = prefix.charCodeAt(prefix.length - 1)
  return { start: prefix, end: prefix.slice(0, -1) + String.fromCharCode(last + 1) }
}
