// The content of an in-memory store at one moment: the state at its oldest revision, and every change since.
import { throwIfCancelled } from '../../lib/errors.ts'
import { sortInPieces } from '../../lib/piece-sort.ts'
import type { Revision } from '../kv.ts'
import { toSortKey } from '../key-order.ts'
import type { LeaseId, StoredChange, StoredHistory, StoredItem } from '../transactional.ts'
import type { ExpiryQueue } from './expiry-queue.ts'
import type { MemoryHistory, MemoryState } from './memory-history.ts'

interface Source {
  readonly state: MemoryState
  readonly history: MemoryHistory
  readonly expiries: ExpiryQueue
  readonly newest: Revision
  readonly oldest: Revision
}

const PIECE_CHANGES = 512

export class MemoryChanges implements StoredHistory {
  readonly newest: Revision
  readonly oldest: Revision
  readonly leases: readonly (readonly [LeaseId, number])[]
  readonly #state: MemoryState
  readonly #history: MemoryHistory
  readonly #expiries: ExpiryQueue

  /** `source` must not change. */
  constructor(source: Source, leases: readonly (readonly [LeaseId, number])[]) {
    this.newest = source.newest
    this.oldest = source.oldest
    this.leases = leases
    this.#state = source.state
    this.#history = source.history
    this.#expiries = source.expiries
  }

  async *changes(signal: AbortSignal): AsyncGenerator<readonly StoredChange[]> {
    let piece: StoredChange[] = []
    for (const change of this.#inSteps()) {
      if (change !== undefined) piece.push(change)
      if (change !== undefined && piece.length < PIECE_CHANGES) continue
      yield piece
      piece = []
      await new Promise((resolve) => setImmediate(resolve))
      throwIfCancelled(signal)
    }
    yield piece
  }

  isCurrentAt({ key, revision, item }: StoredChange, at: Revision): boolean {
    return item !== undefined && this.#history.stateAt(at, this.#state).get(toSortKey(key))?.revision === revision
  }

  [Symbol.dispose](): void {}

  /** Yields undefined for steps without a change. */
  *#inSteps(): Generator<StoredChange | undefined> {
    const kept: StoredItem[] = []
    let looked = 0
    for (const item of this.#history.stateAt(this.oldest, this.#state).values()) {
      if (item.revision < this.oldest) kept.push(item)
      if (++looked % PIECE_CHANGES === 0) yield undefined
    }
    for (const item of yield* sortInPieces(kept, compareItems)) yield this.#toChange(item, item.sub, item)
    let sub = 0
    let last = 0
    for (let from = this.oldest; from <= this.newest; from = last + 1) {
      for (const { key, revision, item } of this.#history.entriesFrom(from)) {
        sub = revision === last ? sub + 1 : 0
        last = revision
        yield this.#toChange({ key, revision }, sub, item)
      }
      last = Math.max(last, from)
    }
  }

  #toChange({ key, revision }: Pick<StoredItem, 'key' | 'revision'>, sub: number, item?: StoredItem): StoredChange {
    const expiry = this.#expiries.of(key)
    return { key, revision, sub, item, deadlineMs: expiry?.revision === revision ? expiry.deadlineMs : 0 }
  }
}

function compareItems(a: StoredItem, b: StoredItem): number {
  return a.revision - b.revision || a.sub - b.sub
}
