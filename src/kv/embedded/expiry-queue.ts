// The keys of an in-memory store that have a TTL, by deadline. A key has at most one deadline, and a later write replaces it.
import { type SortedTree, newSortedTree } from '../../lib/sorted-tree.ts'
import { compareStrings } from '../../lib/text-order.ts'
import type { Revision } from '../kv.ts'

export interface Expiry {
  readonly key: string
  /** The revision of the write that expires. The key must still be at this revision. */
  readonly revision: Revision
  readonly deadlineMs: number
}

function compareExpiries(a: Expiry, b: Expiry): number {
  return a.deadlineMs - b.deadlineMs || a.revision - b.revision
}

export class ExpiryQueue {
  readonly #byDeadline: SortedTree<Expiry, undefined>
  readonly #byKey: SortedTree<string, Expiry>

  constructor(
    byDeadline = newSortedTree<Expiry, undefined>(compareExpiries),
    byKey = newSortedTree<string, Expiry>(compareStrings),
  ) {
    this.#byDeadline = byDeadline
    this.#byKey = byKey
  }

  fork(): ExpiryQueue {
    return new ExpiryQueue(this.#byDeadline.clone(), this.#byKey.clone())
  }

  of(key: string): Expiry | undefined {
    return this.#byKey.get(key)
  }

  /** Sets the deadline of the key. `undefined` removes it. */
  set(key: string, expiry: Expiry | undefined): void {
    const old = this.#byKey.size === 0 ? undefined : this.#byKey.get(key)
    if (old !== undefined) {
      this.#byDeadline.delete(old)
      this.#byKey.delete(key)
    }
    if (expiry === undefined) return
    this.#byDeadline.set(expiry, undefined)
    this.#byKey.set(key, expiry)
  }

  get first(): Expiry | undefined {
    return this.#byDeadline.minKey()
  }
}
