// The leases of an in-memory store, and the keys of each.
import { addToSet, removeFromSet } from '../../lib/map-entries.ts'
import { type LeaseId, NO_LEASE } from '../transactional.ts'

export class MemoryLeases {
  readonly #seconds = new Map<LeaseId, number>()
  readonly #keys = new Map<LeaseId, Set<string>>()

  secondsOf(lease: LeaseId): number | undefined {
    return this.#seconds.get(lease)
  }

  keysOf(lease: LeaseId): readonly string[] {
    return [...(this.#keys.get(lease) ?? [])]
  }

  all(): Iterable<readonly [LeaseId, number]> {
    return this.#seconds
  }

  grant(lease: LeaseId, seconds: number): void {
    this.#seconds.set(lease, seconds)
  }

  forget(lease: LeaseId): void {
    this.#seconds.delete(lease)
  }

  /** Moves the key from one lease, or none, to another. */
  move(key: string, from: LeaseId, to: LeaseId): void {
    if (from === to) return
    removeFromSet(this.#keys, from, key)
    if (to !== NO_LEASE) addToSet(this.#keys, to, key)
  }
}
