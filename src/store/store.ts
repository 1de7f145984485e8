// Objects in the storage: the interface that the registry uses. The store on a `Kv` (`kv-store.ts`), the watch cache and the dry run
// implement it. There is one write verb: the writer decides by the stored object, and again if another write won.
import type { EncodeText, ParseObject } from '../codec/stored-json.ts'
import type { ApiObject, GroupResource } from '../api/object.ts'
import type { IndexedPlace } from '../api/indexed-place.ts'
import type { ListAt, PagePosition, ReadAt, StoredObject, WatchEvent, WatchStart } from '../api/read.ts'
import type { SelectableField } from '../api/selector-fields.ts'
import type { FieldSelector, LabelSelector } from '../api/selector.ts'
import type { ShardSelector } from '../api/shard-selector.ts'
import type { WriteCondition } from '../api/write-condition.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Turns } from '../lib/turns.ts'

/** A type of stored objects: the place of its keys and its selectable fields. Plain data, made by the registry. */
export interface StoredResource extends GroupResource {
  /** The part of the keys between the server's prefix and the names: `pods`, `services/specs`, `example.com/crontabs`. */
  readonly storagePrefix: string
  readonly namespaced: boolean
  /** The fields for field selectors, besides `metadata.name` and `metadata.namespace`. */
  readonly selectableFields: readonly SelectableField[]
  /** The places whose values are indexed for queries. */
  readonly indexes?: readonly IndexedPlace[]
  /** Makes the canonical text of an object. Absent: the text keeps the object's own order of keys. */
  readonly encode?: EncodeText
  /** Parses canonical bytes, for a caller that changes the object. Absent: plain JSON. */
  readonly parse?: ParseObject
  /** The conversion to the served form, by `ServedStore`. Absent: objects are served as stored. */
  readonly form?: ServedForm
}

/** Converts between the stored and the served form. Throws `ApiError` if it cannot. */
export interface ServedForm {
  /** Whether objects are served as they are stored: `fromStored` returns its input. */
  isAsStored(): boolean
  /** Returns the objects in the given order, and the same records if nothing changes. The same input has the same result at every call. */
  fromStored(objects: readonly StoredObject[], signal: AbortSignal): MaybePromise<readonly StoredObject[]>
  /** Whether `fromStored` calls no webhook. */
  readonly isLocal: boolean
  /** Whether every value in a served object is the value at the same place in the stored object. */
  keepsValues(): boolean
  /** The result of `fromStored`, if it is known without a call to a webhook. */
  atHand(object: StoredObject): StoredObject | undefined
  toStored(object: ApiObject, signal: AbortSignal): MaybePromise<ApiObject>
}

export interface ObjectKey {
  readonly resource: StoredResource
  /** Empty if and only if the resource is not namespaced. */
  readonly namespace: string
  readonly name: string
}

export interface Selection {
  readonly labels?: LabelSelector
  /** Applies to the served form of objects. */
  readonly fields?: FieldSelector
  readonly shard?: ShardSelector | undefined
  readonly where?: Predicate | undefined
}

/** Every matching object has one of these values at this place. */
export interface Pin {
  readonly path: IndexedPlace['path']
  /** As JSON has them, without the quotes of texts. An object without a single value at the place counts as one with the empty text. */
  readonly values: readonly string[]
}

/** A condition whose content the store does not know. */
export interface Predicate {
  readonly pins: readonly Pin[]
  /** Whether all objects with the values of all pins match. */
  readonly arePinsEnough?: boolean
  /** Equal for predicates that match the same objects at all times. */
  readonly key: string
  /** Whether matching takes long. Then other work gets a turn after a few objects. */
  readonly isSlow: boolean
  /** The turns in which lists and watches match objects. Absent: a watch matches each object at its change. */
  readonly turns?: Turns | undefined
  /** May throw `ApiError`, which ends the list or the watch. `served`: the object in its served form. */
  matches(served: StoredObject): boolean
}

/** The value under the key cannot be read as an object: it is damaged, or encrypted with an unknown key. */
export interface UnreadableObject {
  readonly kind: 'unreadable'
  readonly namespace: string
  readonly name: string
  readonly revision: number
  /** Clients may see this text. It never contains the bytes or the storage key. */
  readonly problem: string
}

export type StoredItem = StoredObject | UnreadableObject

export interface GetResult {
  /** The revision of the answer. */
  readonly revision: number
  readonly item: StoredItem | undefined
}

export interface ListRequest {
  readonly resource: StoredResource
  /** Absent: all namespaces. */
  readonly namespace?: string | undefined
  readonly at: ListAt
  /** The largest number of objects. Absent: all. Always above zero. */
  readonly limit?: number | undefined
  readonly selection?: Selection | undefined
  /** The list leaves out unreadable objects. Otherwise it fails with `StorageReadError`. */
  readonly skipUnreadable?: boolean | undefined
}

export interface ListPage {
  /** The same on every page of one sequence. */
  readonly revision: number
  /** Undefined: the list is complete. */
  readonly next: PagePosition | undefined
  /** The number of objects after this page, if it is known: never with a selection, never on the last page. */
  readonly remaining: number | undefined
  /** The index that found the objects. Absent: the list looked at all objects. */
  readonly index?: string | undefined
  /** In key order. Iterate it once. The iteration may throw `ApiError`. */
  readonly batches: AsyncIterable<readonly StoredObject[]> | Iterable<readonly StoredObject[]>
}

export interface WatchRequest {
  readonly resource: StoredResource
  readonly namespace?: string | undefined
  readonly start: WatchStart
  readonly selection?: Selection | undefined
  /** Whether to send BOOKMARK events: at the end of the initial state, about once a minute, and shortly before the end of the watch. */
  readonly bookmarks: boolean
  /** The time when the caller will end the watch, for a bookmark before that time. */
  readonly timeoutMilliseconds?: number | undefined
  /** The watch ignores unreadable objects. Otherwise it fails. */
  readonly skipUnreadable?: boolean | undefined
}

/** An open watch. Iterate it once. Each step returns the ready events, at least one. Leaving the loop ends the watch. */
export interface Watch extends AsyncIterable<readonly WatchEvent[]> {
  /**
   * Passes each event to `take` as it happens, at a fraction of the cost of an iteration, while `take` returns true. Resolves to false when
   * `take` returned false. Resolves to true if the iteration must go on, with pending events or with the end.
   */
  follow?(take: (event: WatchEvent) => boolean): Promise<boolean>
  /**
   * The revision up to which all events were passed on. Undefined: all events were passed on. A watch without this method does not count
   * them.
   */
  passedOn?(): number | undefined
}

/**
 * Stores the object. If it equals the stored one, nothing is written. Its `metadata.resourceVersion` is ignored. `bytes`: the result of
 * `encodeStored`, from a writer that has no parsed object. `inOwnForm`: the object is also written if only its encoding differs, because
 * kube-apiserver has stored it. `onlyIf`: if a condition does not hold, nothing is written and the write throws a `Conflict`.
 * `isIncrement`: the object is computed from the previous one, and another client may write the same (see `Commit`).
 */
export type PutOutcome = {
  readonly kind: 'put'
  readonly ttlSeconds?: number
  readonly inOwnForm?: boolean
  readonly onlyIf?: readonly WriteCondition[] | undefined
  readonly isIncrement?: boolean
} & (
  | { readonly object: ApiObject; readonly bytes?: undefined }
  | { readonly object?: undefined; readonly bytes: Buffer }
)

/** The decision of a writer about the stored object. */
export type Outcome =
  | PutOutcome
  /** Removes the object. `last` is the object for the answer. Absent: the stored object. */
  | { readonly kind: 'remove'; readonly last?: ApiObject }
  | { readonly kind: 'keep' }

/**
 * Called with the stored object. Called again with the newer object if the write lost, or if this function threw or kept the object because
 * of data that turned out to be stale. Must be safe to repeat.
 */
export type Decide = (current: StoredItem | undefined) => Outcome | Promise<Outcome>

export type WriteResult =
  | { readonly kind: 'put'; readonly object: StoredObject; readonly created: boolean }
  /** The last state of the object, with the revision of its removal. */
  | { readonly kind: 'removed'; readonly object: StoredItem }
  /** Nothing was written. This is the stored object. */
  | { readonly kind: 'kept'; readonly object: StoredItem | undefined }

/**
 * All methods throw `ApiError` for failures of the storage (`store/errors.ts`), `CancelledError` when the signal fires, and the errors of
 * `decide`.
 */
export interface Store {
  /** Waits at most 3 s for a revision that has not been reached. A read of a single object cannot be `exact`. */
  get(key: ObjectKey, at: Exclude<ReadAt, { readonly kind: 'exact' }>, signal: AbortSignal): Promise<GetResult>
  /** Waits like `get`. Throws `Expired` if the revision is no longer available. */
  list(request: ListRequest, signal: AbortSignal): Promise<ListPage>
  /**
   * Resolves when the start is found. Throws `Expired` if the start is too old. Later, the iteration throws `Expired` if the reader fell
   * behind history, and `StorageReadError` if an object cannot be read. The iteration ends without an error if the client has to resume
   * from the last revision.
   */
  watch(request: WatchRequest, signal: AbortSignal): Promise<Watch>
  /** The object in memory, without any wait. Undefined also if it is not in memory. */
  peek?(key: ObjectKey): StoredItem | undefined
  /**
   * The readable objects of a namespace in memory, without any wait. An empty `namespace` means all namespaces. Undefined: the objects are
   * not in memory.
   */
  peekAll?(resource: StoredResource, namespace: string): readonly StoredObject[] | undefined
  /**
   * Undefined: the type has objects, or may have objects. Otherwise the promise resolves at the next change of the type, before any watch
   * reports the change. It resolves earlier if the objects in memory are lost, or the signal fires.
   */
  untilPresent?(resource: StoredResource, signal: AbortSignal): Promise<void> | undefined
  /** Resolves when the write is durable. Throws `NotFound` for a key that no object can have. */
  write(key: ObjectKey, decide: Decide, signal: AbortSignal): Promise<WriteResult>
}
