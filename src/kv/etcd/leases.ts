// Leases for TTLs. A lease lives a little longer than requested. Puts with the same TTL share it during that time, so a thousand events
// need two leases and not a thousand. Invariant: a put gets a lease that lasts at least its TTL.
import { randomInt } from 'node:crypto'
import { LEASE_GRANT } from '../gen/rpc.ts'
import type { Call, Cluster, OnFailure } from './cluster.ts'

interface Lease {
  readonly id: number
  /** By `performance.now()`. */
  readonly usableUntil: number
  uses: number
}

/** The largest number of keys of a lease. When a lease ends, etcd deletes all its keys in one write, which must stay small. */
const KEYS_A_LEASE = 500

/** The largest number of different TTLs. Usually there are few: this is only a bound. */
const TIMES_KEPT = 32

/** A lease is not shared in its last moments, because a put takes a moment to arrive. */
const LATENCY_SECONDS = 1

export class Leases {
  readonly #cluster: Cluster
  readonly #current = new Map<number, Promise<Lease>>()

  constructor(cluster: Cluster) {
    this.#cluster = cluster
  }

  async leaseFor(ttlSeconds: number, call: Call): Promise<number> {
    for (;;) {
      const known = this.#current.get(ttlSeconds)
      const lease = await known?.catch(() => undefined)
      if (lease !== undefined && performance.now() < lease.usableUntil && lease.uses++ < KEYS_A_LEASE) return lease.id
      // If several callers find the lease used up, the first caller requests the next lease, and the others wait for it.
      if (this.#current.get(ttlSeconds) !== known) continue
      if (this.#current.size >= TIMES_KEPT) this.#current.clear()
      const granting = this.#grant(ttlSeconds, call)
      this.#current.set(ttlSeconds, granting)
      return (await granting).id
    }
  }

  /** Call this if etcd no longer knows the lease. */
  forget(ttlSeconds: number): void {
    this.#current.delete(ttlSeconds)
  }

  async #grant(ttlSeconds: number, call: Call): Promise<Lease> {
    const sharedSeconds = Math.max(2, Math.ceil(ttlSeconds / 20))
    // We choose the id, so that the grant can be repeated: a lease with this id can only be ours.
    const id = randomInt(1, 2 ** 47)
    const usableUntil = performance.now() + (sharedSeconds - LATENCY_SECONDS) * 1000
    const onFailure: OnFailure = (_, verdict) => {
      if (verdict.kind === 'lease-exists') throw new AlreadyGranted()
    }
    try {
      await this.#cluster.call(LEASE_GRANT, { ttl: Math.ceil(ttlSeconds) + sharedSeconds, id }, call, onFailure)
    } catch (error) {
      if (!(error instanceof AlreadyGranted)) throw error
    }
    return { id, usableUntil, uses: 1 }
  }
}

class AlreadyGranted extends Error {
  override readonly name = 'AlreadyGranted'
}
