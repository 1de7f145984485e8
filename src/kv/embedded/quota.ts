// How much a store may hold. What is in use is looked up once a commit; within one it is what it was before.
import { KvError, type Revision } from '../kv.ts'
import type { Tables } from './tables.ts'

export class Quota {
  readonly #tables: Tables
  readonly #maxBytes: number
  #lookedAt: Revision = 0
  #isFull = false

  constructor(tables: Tables, maxBytes: number) {
    this.#tables = tables
    this.#maxBytes = maxBytes
  }

  /** Throws `full` where more is in use than may be; `newest` is that of the last commit. */
  check(newest: Revision): void {
    if (this.#maxBytes === Number.POSITIVE_INFINITY) return
    if (this.#isFull || newest !== this.#lookedAt) {
      this.#lookedAt = newest
      this.#isFull = this.#tables.usedBytes() > this.#maxBytes
    }
    if (this.#isFull) throw new KvError('full', `the store holds the ${this.#maxBytes} bytes that it may`)
  }
}
