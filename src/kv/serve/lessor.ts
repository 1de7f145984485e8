// The leases of a store: who has asked for one keeps it alive, and when its time is up it goes with its keys, in one revision.
// What was granted is stored, how long it still lasts is not: after a restart every lease begins anew, as etcd's do.
import { randomBytes } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import { compareKeys } from '../key-order.ts'
import type { Revision } from '../kv.ts'
import type { LeaseId, TransactionalKv } from '../transactional.ts'
import { failure } from './rpc-failure.ts'

interface Lease {
  readonly seconds: number
  /** By the clock's `now`. */
  deadlineMs: number
  cancelAlarm: () => void
}

/** etcd's. */
const MOST_SECONDS = 9_000_000_000

/** After a failure, which mostly is a full disk. */
const RETRY_MS = 1000

export interface LeaseTime {
  readonly grantedSeconds: number
  /** Whole ones. */
  readonly leftSeconds: number
}

export class Lessor {
  readonly #kv: TransactionalKv
  readonly #clock: Clock
  readonly #leases = new Map<LeaseId, Lease>()
  readonly #stop = new AbortController()

  constructor(kv: TransactionalKv, clock: Clock) {
    this.#kv = kv
    this.#clock = clock
    for (const [id, seconds] of kv.leases()) this.#begin(id, seconds)
  }

  get ids(): readonly LeaseId[] {
    return [...this.#leases.keys()]
  }

  /** With the number 0 it gets one. */
  async grant(wanted: LeaseId, wantedSeconds: number, signal: AbortSignal): Promise<{ id: LeaseId; seconds: number }> {
    if (wantedSeconds > MOST_SECONDS) throw failure('leaseTtlTooLarge')
    const seconds = Math.max(1, wantedSeconds)
    const id = wanted === 0n ? this.#freeId() : wanted
    await this.#kv.transact(
      {
        bytes: 0,
        freesSpace: false,
        run: (transaction) => {
          if (transaction.secondsOfLease(id) !== undefined) throw failure('leaseExists')
          transaction.grantLease(id, seconds)
        },
      },
      signal,
    )
    this.#begin(id, seconds)
    return { id, seconds }
  }

  /** Resolves with the newest revision. */
  async revoke(id: LeaseId, signal: AbortSignal): Promise<Revision> {
    const revision = await this.#kv.transact(
      {
        bytes: 0,
        freesSpace: true,
        run: (transaction) => {
          if (transaction.secondsOfLease(id) === undefined) throw failure('leaseNotFound')
          for (const key of transaction.keysOfLease(id).toSorted(compareKeys)) transaction.remove(key)
          transaction.forgetLease(id)
          return transaction.newest
        },
      },
      signal,
    )
    this.#leases.get(id)?.cancelAlarm()
    this.#leases.delete(id)
    return revision
  }

  /** The seconds that it has again; undefined: there is none. */
  keepAlive(id: LeaseId): number | undefined {
    const lease = this.#leases.get(id)
    if (lease === undefined || lease.deadlineMs <= this.#clock.now()) return undefined
    lease.deadlineMs = this.#clock.now() + lease.seconds * 1000
    return lease.seconds
  }

  timeOf(id: LeaseId): LeaseTime | undefined {
    const lease = this.#leases.get(id)
    if (lease === undefined) return undefined
    const leftMs = lease.deadlineMs - this.#clock.now()
    return { grantedSeconds: lease.seconds, leftSeconds: Math.max(0, Math.floor(leftMs / 1000)) }
  }

  async keysOf(id: LeaseId, signal: AbortSignal): Promise<readonly string[]> {
    const run = { bytes: 0, freesSpace: true }
    return this.#kv.transact(
      { ...run, run: (transaction) => transaction.keysOfLease(id).toSorted(compareKeys) },
      signal,
    )
  }

  close(): void {
    this.#stop.abort()
    for (const { cancelAlarm } of this.#leases.values()) cancelAlarm()
    this.#leases.clear()
  }

  #begin(id: LeaseId, seconds: number): void {
    if (this.#stop.signal.aborted) return
    const lease: Lease = { seconds, deadlineMs: this.#clock.now() + seconds * 1000, cancelAlarm: () => undefined }
    this.#leases.set(id, lease)
    this.#setAlarm(id, lease, lease.deadlineMs)
  }

  /** Keeping it alive does not touch the alarm: when that rings, it is set for the time that is left. */
  #setAlarm(id: LeaseId, lease: Lease, atMs: number): void {
    lease.cancelAlarm = this.#clock.callAfter(atMs - this.#clock.now(), async () => {
      if (lease.deadlineMs > this.#clock.now()) return this.#setAlarm(id, lease, lease.deadlineMs)
      try {
        await this.revoke(id, this.#stop.signal)
      } catch {
        const isOurs = this.#leases.get(id) === lease && !this.#stop.signal.aborted
        if (isOurs) this.#setAlarm(id, lease, this.#clock.now() + RETRY_MS)
      }
    })
  }

  #freeId(): LeaseId {
    for (;;) {
      // Below 2^63, so that no client takes it for a negative number.
      const id = BigInt.asUintN(63, randomBytes(8).readBigUInt64BE())
      if (id !== 0n && !this.#leases.has(id)) return id
    }
  }
}
