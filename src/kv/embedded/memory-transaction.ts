// A transaction of the in-memory engine. It writes to the state at once, and can undo its changes.
import type { Revision } from '../kv.ts'
import type { KeyRange, LeaseId, StoredItem, Transaction } from '../transactional.ts'
import { sortRange, toSortKey } from '../key-order.ts'
import type { HistoryEntry, MemoryState } from './memory-history.ts'
import type { MemoryLeases } from './memory-leases.ts'
import { ownBytes } from '../../lib/own-bytes.ts'
import { checkSize } from './request-check.ts'
import { EmbeddedItem } from './stored-item.ts'

export class MemoryTransaction implements Transaction {
  readonly before: Revision
  /** The changes so far, in order. */
  readonly entries: HistoryEntry[] = []
  readonly #state: MemoryState
  readonly #leases: MemoryLeases

  constructor(from: { state: MemoryState; leases: MemoryLeases; newest: Revision }) {
    this.#state = from.state
    this.#leases = from.leases
    this.before = from.newest
  }

  get newest(): Revision {
    return this.entries.length === 0 ? this.before : this.before + 1
  }

  get(key: string): StoredItem | undefined {
    return this.#state.get(toSortKey(key))
  }

  items(range: KeyRange, limit: number): readonly StoredItem[] {
    const items: StoredItem[] = []
    const [start, end] = sortRange(range)
    this.#state.forRange(start, end, false, (_, item) => {
      if (items.length >= limit) return { break: 0 }
      items.push(item)
      return undefined
    })
    return items
  }

  keys(range: KeyRange): readonly string[] {
    return this.items(range, Number.POSITIVE_INFINITY).map(({ key }) => key)
  }

  put(put: { readonly key: string; readonly value: Buffer; readonly lease: LeaseId }): void {
    checkSize(put)
    const { key, lease } = put
    const revision = this.before + 1
    const previous = this.get(key)
    const item = new EmbeddedItem({
      key,
      value: ownBytes(put.value),
      revision,
      createRevision: previous?.createRevision ?? revision,
      version: (previous?.version ?? 0) + 1,
      lease,
      sub: this.entries.length,
    })
    this.#change(key, previous, item)
  }

  remove(key: string): void {
    this.#change(key, this.get(key), undefined)
  }

  removeRange(range: KeyRange): number {
    const keys = this.keys(range)
    for (const key of keys) this.remove(key)
    return keys.length
  }

  secondsOfLease(lease: LeaseId): number | undefined {
    return this.#leases.secondsOf(lease)
  }

  keysOfLease(lease: LeaseId): readonly string[] {
    return this.#leases.keysOf(lease)
  }

  grantLease(lease: LeaseId, seconds: number): void {
    this.#leases.grant(lease, seconds)
  }

  forgetLease(lease: LeaseId): void {
    this.#leases.forget(lease)
  }

  /** Undoes all changes. */
  goBack(): void {
    for (const { key, previous } of this.entries.splice(0).reverse()) this.#set(key, previous)
  }

  #change(key: string, previous: StoredItem | undefined, item: StoredItem | undefined): void {
    this.#set(key, item)
    this.entries.push({ key, revision: this.before + 1, item, previous })
  }

  #set(key: string, item: StoredItem | undefined): void {
    if (item === undefined) this.#state.delete(toSortKey(key))
    else this.#state.set(toSortKey(key), item)
  }
}
