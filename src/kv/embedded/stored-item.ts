// An item of an embedded engine. The members for etcd's API are not enumerable, so that the port sees a `KeyValue` and nothing
// more, without a copy.
import type { Revision } from '../kv.ts'
import type { LeaseId, StoredItem } from '../transactional.ts'

export class EmbeddedItem implements StoredItem {
  readonly key: string
  readonly value: Buffer
  readonly revision: Revision
  readonly createRevision: Revision
  readonly #version: number
  readonly #lease: LeaseId
  readonly #sub: number

  constructor(item: StoredItem) {
    this.key = item.key
    this.value = item.value
    this.revision = item.revision
    this.createRevision = item.createRevision
    this.#version = item.version
    this.#lease = item.lease
    this.#sub = item.sub
  }

  get version(): number {
    return this.#version
  }

  get lease(): LeaseId {
    return this.#lease
  }

  get sub(): number {
    return this.#sub
  }
}
