// The leases of an in-memory store, and the keys of each.
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
    const left = this.#keys.get(from)
    left?.delete(key)
    if (left?.size === 0) this.#keys.delete(from)
    if (to === NO_LEASE) return
    const joined = this.#keys.get(to) ?? new Set()
    this.#keys.set(to, joined.add(key))
  }
}
