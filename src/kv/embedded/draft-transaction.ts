// A transaction of the durable engine: changes of a draft with one revision.
import type { Revision } from '../kv.ts'
import type { KeyRange, LeaseId, StoredItem, Transaction } from '../transactional.ts'
import type { Draft } from './draft.ts'
import { checkSize } from './request-check.ts'
import { Turns } from '../../lib/turns.ts'

/** The removal of this many keys takes a millisecond or two. */
const PIECE = 200

export class DraftTransaction implements Transaction {
  readonly before: Revision
  readonly #draft: Draft
  /** Throws if a put must be refused. */
  readonly #checkSpace: () => void
  #changes = 0

  constructor(draft: Draft, checkSpace: () => void) {
    this.#draft = draft
    this.before = draft.newest
    this.#checkSpace = checkSpace
  }

  get newest(): Revision {
    return this.#draft.newest
  }

  get(key: string): StoredItem | undefined {
    return this.#draft.itemOf(key)
  }

  items(range: KeyRange, limit: number): readonly StoredItem[] {
    const items: StoredItem[] = []
    for (const key of this.#draft.keysIn(range)) {
      if (items.length >= limit) break
      items.push(this.#draft.itemOf(key)!)
    }
    return items
  }

  keys(range: KeyRange): readonly string[] {
    return [...this.#draft.keysIn(range)]
  }

  put(put: { readonly key: string; readonly value: Buffer; readonly lease: LeaseId }): void {
    checkSize(put)
    this.#checkSpace()
    this.#draft.put({ ...put, deadlineMs: 0 }, this.#nextPlace())
  }

  remove(key: string): void {
    this.#draft.remove(key, this.#nextPlace())
  }

  async removeRange({ start, end }: KeyRange): Promise<number> {
    const turns = new Turns()
    let removed = 0
    let from = start
    for (;;) {
      const keys = this.#nextKeys({ start: from, end })
      for (const key of keys) this.remove(key)
      removed += keys.length
      if (keys.length < PIECE) return removed
      from = `${keys.at(-1)}\0`
      if (turns.isOver) await turns.next()
    }
  }

  secondsOfLease(lease: LeaseId): number | undefined {
    return this.#draft.secondsOfLease(lease)
  }

  keysOfLease(lease: LeaseId): readonly string[] {
    return this.#draft.keysOfLease(lease)
  }

  grantLease(lease: LeaseId, seconds: number): void {
    this.#draft.setLease(lease, seconds)
  }

  forgetLease(lease: LeaseId): void {
    this.#draft.setLease(lease, undefined)
  }

  /** The first `PIECE` keys of the range, read within one turn. */
  #nextKeys(range: KeyRange): readonly string[] {
    return [...this.#draft.keysIn(range).take(PIECE)]
  }

  #nextPlace(): { revision: Revision; sub: number } {
    return { revision: this.before + 1, sub: this.#changes++ }
  }
}
