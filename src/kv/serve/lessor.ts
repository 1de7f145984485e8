// The leases of a store. Clients keep them alive. When the time of a lease is over, the lease and its keys are removed in one revision.
// Only the granted time is stored: after a restart every lease starts again, as in etcd.
import { randomBytes } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import { compareKeys } from '../key-order.ts'
import type { Revision } from '../kv.ts'
import type { LeaseId, TransactionalKv } from '../transactional.ts'
import { failure } from './rpc-failure.ts'

interface Lease {
  readonly seconds: number
  /** By `now` of the clock. */
  deadlineMs: number
  cancelAlarm: () => void
}

/** The limit of etcd. */
const MOST_SECONDS = 9_000_000_000

/** The wait after a failure, usually a full disk. */
const RETRY_MS = 1000

export interface LeaseTime {
  readonly grantedSeconds: number
  /** In whole seconds. */
  readonly leftSeconds: number
}

export type Leases = Pick<Lessor, 'ids' | 'grant' | 'revoke' | 'keepAlive' | 'timeOf' | 'keysOf'>

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

  /** Grants a lease. If `wanted` is 0, the server chooses a free id. */
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

  /** Removes a lease and its keys. Resolves with the newest revision. */
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

  /** Renews a lease and returns its seconds. Undefined: the lease does not exist. */
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

  /** Renewals do not change the alarm. When it rings early, it is set again for the rest of the time. */
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
      // The id is below 2^63, so that no client reads it as a negative number.
      const id = BigInt.asUintN(63, randomBytes(8).readBigUInt64BE())
      if (id !== 0n && !this.#leases.has(id)) return id
    }
  }
}
