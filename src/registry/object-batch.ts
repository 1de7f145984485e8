// Writes of several objects that are stored together or not at all. The writes go through the same pipelines as single writes, on a store
// that keeps their decisions until the commit.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { AtEnd } from '../admission/admission.ts'
import { metaText } from '../api/object-members.ts'
import type { StoredObject } from '../api/read.ts'
import { Batch, placeOf } from '../store/batch.ts'
import type { CommitResult, ObjectChange } from '../store/commit.ts'
import type { ObjectKey, Store, StoredItem, WriteResult } from '../store/store.ts'
import type { RegistryParts, WriteBatch } from './registry.ts'
import { ServedStore } from './served-store.ts'

export interface BatchOptions {
  readonly store: Store & Committer
  readonly registry: RegistryParts
  readonly scope: BatchScope
  /** Called for every object that was written, before the commit is answered. */
  readonly onWritten: (key: ObjectKey, result: WriteResult) => void
}

interface Committer {
  commit(changes: readonly ObjectChange[], signal: AbortSignal): Promise<CommitResult>
}

/** The result of one write. */
export interface BatchedWrite {
  readonly key: ObjectKey
  readonly result: WriteResult
}

export class ObjectBatch implements WriteBatch {
  readonly registry: RegistryParts
  /** The parts for the writes of the batch. */
  readonly parts: RegistryParts
  /** The store of the batch, with objects in the form in which they are stored. */
  readonly stored: Store
  last: BatchedWrite | undefined
  readonly #options: BatchOptions
  readonly #batch: Batch
  /** The uids of objects, by the places of the objects. */
  readonly #uids = new Map<string, string>()
  readonly #settle: ((isStored: boolean) => Promise<void>)[] = []

  constructor(options: BatchOptions, revision: number | undefined) {
    this.#options = options
    this.registry = options.registry
    this.#batch = new Batch(options.store, revision, (key, result) => (this.last = { key, result }))
    this.stored = this.#batch
    const store = new ServedStore(this.#batch)
    this.parts = { ...options.registry, store, dryRunStore: store }
  }

  readonly atEnd: AtEnd = (settle) => void this.#settle.push(settle)

  /** The object as it was before the batch. The commit fails if the object has changed since. */
  before(key: ObjectKey, signal: AbortSignal): Promise<StoredItem | undefined> {
    return this.#batch.before(key, signal)
  }

  /** The uid of an object. It is read once, because a transaction cannot replace an object by another object. */
  uidOf(key: ObjectKey, object: StoredObject): string {
    const place = placeOf(key)
    const uid = this.#uids.get(place) ?? metaText(object.object(), 'uid')
    this.#uids.set(place, uid)
    return uid
  }

  /** Runs a write. Admission sees the objects that the batch has decided. */
  run<T>(write: () => Promise<T>): Promise<T> {
    return this.#options.scope.run(this.#batch, write)
  }

  async commit(signal: AbortSignal): Promise<BatchCommit> {
    const { store, onWritten } = this.#options
    const committed = await store.commit(this.#batch.changes, signal)
    if (!committed.ok) return committed
    for (const { key, result } of committed.written) onWritten(key, result)
    const versions = new Map(committed.written.map(({ key, result }) => [placeOf(key), result.object?.revision]))
    return { ok: true, revision: committed.revision, versionOf: (key) => versions.get(placeOf(key)) }
  }

  /** Settles reservations and quotas. Call it once, when it is known whether the batch was stored. */
  async end(isStored: boolean): Promise<void> {
    for (const settle of this.#settle.splice(0)) await settle(isStored)
  }
}

export type BatchCommit =
  | {
      readonly ok: true
      readonly revision: number
      /** The revision of an object that was written. */
      readonly versionOf: (key: ObjectKey) => number | undefined
    }
  | { readonly ok: false; readonly revision: number }

/** Knows the batch to which the running code belongs. */
export class BatchScope {
  readonly #current = new AsyncLocalStorage<Batch>()

  run<T>(batch: Batch, write: () => Promise<T>): Promise<T> {
    return this.#current.run(batch, write)
  }

  /** The same store, in which the writes of a batch find the objects that the batch has decided. Lists show the state before the batch. */
  around(store: Store): Store {
    const storeOf = (key: ObjectKey): Store => {
      const batch = this.#current.getStore()
      return batch?.knows(key) === true ? batch : store
    }
    return {
      get: (key, at, signal) => storeOf(key).get(key, at, signal),
      peek: (key) => storeOf(key).peek?.(key),
      peekAll: (resource, namespace) => store.peekAll?.(resource, namespace),
      list: (request, signal) => store.list(request, signal),
      watch: (request, signal) => store.watch(request, signal),
      write: (key, decide, signal) => store.write(key, decide, signal),
    }
  }
}
