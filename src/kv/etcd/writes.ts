// Conditional writes, each one transaction. If the answer to a write is lost, its outcome is looked up.
//
// A lost answer (a cut connection, a time limit, a lost leader) leaves three possibilities: the write happened, it never will, or it is
// still on its way and happens later, from a frozen member's socket or a leader's log. `creates.ts` has the commits that expect a key to be
// absent. Every other commit expects each key that it writes at a revision E. The revisions of a key only rise. So "its revision is E"
// holds until the first write after E, and never again. Therefore it is safe to send the same transaction again: at most one of its copies
// succeeds. If the repetition succeeds, no other copy has succeeded. If the repetition loses, a key has a later revision, and no copy can
// succeed any more. If that key was expected with `notAfter`, this holds while the key exists. The history of the keys then tells whether
// an earlier copy succeeded (`outcome.ts`).
//
// If the history has been compacted, or no answer comes in time, the outcome is `unknown`. A call that was refused (no leader, no valid
// token) or never sent (no connection) wrote nothing, and is simply tried again.
import { CancelledError } from '../../lib/errors.ts'
import { ABSENT, type Commit, KvError, type Put, type WriteResult } from '../kv.ts'
import { CompareResult, CompareTarget, type RequestOp, TXN, type TxnRequest } from '../gen/rpc.ts'
import type { Given } from '../rpc.ts'
import type { Call, Cluster, OnFailure } from './cluster.ts'
import { Creates } from './creates.ts'
import { Leases } from './leases.ts'
import { currentOf, isUntouched, lostKey, revisionOf, revisionOfState, UnknownOutcome } from './outcome.ts'

export class Writes {
  readonly #cluster: Cluster
  readonly #leases: Leases
  readonly #creates: Creates

  constructor(cluster: Cluster, prefix: string) {
    this.#cluster = cluster
    this.#leases = new Leases(cluster)
    this.#creates = new Creates(cluster, this.#leases, prefix)
  }

  async commit(commit: Commit, call: Call): Promise<WriteResult> {
    for (;;) {
      const success = await this.#operations(commit, call)
      try {
        return await this.#write(commit, success, call)
      } catch (error) {
        if (!(error instanceof LeaseGone)) throw error
        for (const { ttlSeconds } of commit.writes as readonly Put[]) {
          if (ttlSeconds !== undefined) this.#leases.forget(ttlSeconds)
        }
      }
    }
  }

  async #operations({ expected, writes }: Commit, call: Call): Promise<readonly Given<RequestOp>[]> {
    const absent = new Set(expected.flatMap(({ key, revision }) => (revision === ABSENT ? [key] : [])))
    const operations: Given<RequestOp>[] = []
    for (const write of writes) {
      const { key } = write
      if (write.value !== undefined) operations.push(await this.#put(write, call))
      else if (!absent.has(key)) operations.push({ deleteRange: { key } })
    }
    return operations
  }

  async #put({ key, value, ttlSeconds }: Put, call: Call): Promise<Given<RequestOp>> {
    if (ttlSeconds === undefined) return { put: { key, value } }
    return { put: { key, value, lease: await this.#leases.leaseFor(ttlSeconds, call) } }
  }

  async #write(commit: Commit, success: readonly Given<RequestOp>[], call: Call): Promise<WriteResult> {
    const txn = { ...comparison(commit), success }
    const mayRepeat = success.length === 0 || commit.expected.every(({ revision }) => revision !== ABSENT)
    try {
      if (mayRepeat) return await this.#repeat(commit, txn, call)
      return await this.#creates.create(commit, txn, call, throwLeaseGone)
    } catch (error) {
      const isFull =
        error instanceof KvError && error.code === 'full' && success.length > 0 && commit.isIncrement !== true
      // The put that crosses etcd's quota is stored, but etcd answers that it is full.
      const stored = isFull ? await revisionOfState(this.#cluster, commit, call) : undefined
      if (stored !== undefined) return { ok: true, revision: stored }
      throw error instanceof UnknownOutcome ? unknown(commit, error) : error
    }
  }

  async #repeat(commit: Commit, txn: Given<TxnRequest>, call: Call): Promise<WriteResult> {
    let doubt: unknown
    const isRead = txn.success?.length === 0
    try {
      const response = await this.#cluster.call(TXN, txn, call, (error, verdict) => {
        throwLeaseGone(error, verdict)
        if (verdict.kind === 'again' && !verdict.certain && !isRead) doubt = error
      })
      const { revision } = response.header
      if (response.succeeded) return { ok: true, revision }
      const ours =
        doubt === undefined || isUntouched(commit, response)
          ? undefined
          : await revisionOf(this.#cluster, commit, { ...call, upTo: revision, since: revision })
      if (ours !== undefined) return { ok: true, revision: ours }
      const current = await currentOf(this.#cluster, commit, lostKey(commit, response), call)
      return { ok: false, revision, current }
    } catch (error) {
      if (doubt === undefined || error instanceof CancelledError) throw error
      throw unknown(commit, doubt)
    }
  }
}

/** The conditions of a commit, and the reads if it loses. A single key is read with its value, several keys without their values. */
function comparison({ expected }: Commit): Pick<Given<TxnRequest>, 'compare' | 'failure'> {
  const keysOnly = expected.length > 1
  return {
    compare: expected.map(({ key, revision, notAfter }) => {
      const target = CompareTarget.MOD
      if (notAfter === undefined) return { target, key, modRevision: revision }
      return { target, result: CompareResult.LESS, key, modRevision: notAfter + 1 }
    }),
    failure: expected.map(({ key }) => ({ range: { key, keysOnly } })),
  }
}

function unknown({ writes }: Commit, cause: unknown): KvError {
  const keys = `${JSON.stringify(writes[0]?.key)}${writes.length > 1 ? ` and ${writes.length - 1} other keys` : ''}`
  return new KvError('unknown', `unknown outcome: the write of ${keys} may have been applied`, { cause })
}

/** Thrown if the lease that a put names no longer exists in etcd. Nothing was written. */
class LeaseGone extends Error {
  override readonly name = 'LeaseGone'
}

const throwLeaseGone: OnFailure = (_, verdict) => {
  if (verdict.kind === 'lease-gone') throw new LeaseGone()
}
