// Conditional writes, each one transaction, and the finding out of what became of one whose answer was lost.
//
// A lost answer (a cut connection, a time limit) leaves three possibilities: the write happened, it never will, or it is still
// on its way, in a frozen member's socket or a leader's log, and happens later. What can be said depends on what it expected:
//
// - An update or delete at revision E > 0. A key's revisions only rise, so "its revision is E" is true until the first write
//   after E and never again. Sending the same transaction again is therefore safe: of all its copies at most one succeeds.
//   If the repetition succeeds, it is the one. If it loses, the key has moved on and no copy can succeed any more: then the
//   *first* event of the key after E tells which write did it. A put of our very bytes was ours (two writers with the same
//   bytes at the same E cannot be told apart, and have got the same thing); another put means that we lost, cleanly. A
//   delete, where we wanted to delete, may have been anybody's: `unknown`, rather than telling two that each did it alone.
// - A create. "The key is not there" can become true again: repeated, or arriving late, the write might bring back what
//   somebody has deleted meanwhile. So it is never sent twice. If the key's first value since it was made is our bytes, the
//   create happened; otherwise it may still arrive: `unknown`.
//
// Where history has been compacted, or no answer comes in time, it is `unknown` too. A call that was refused (no leader, no
// valid token) or never sent (no connection) did nothing, and is simply tried again.
import { CancelledError } from '../../lib/errors.ts'
import { ABSENT, type DeleteRequest, KvError, type KvEvent, type PutRequest, type WriteResult } from '../kv.ts'
import type { Call, Cluster } from './cluster.ts'
import type { Leases } from './leases.ts'
import { COMPARE_MOD, RANGE, type RequestOp, toKeyValue, TXN, type TxnRequest, type TxnResponse } from './messages.ts'
import { firstEventAfter } from './watch.ts'

/** A put or a delete, as far as finding out about it goes. */
interface Intent {
  readonly key: string
  readonly expected: number
  /** Absent: a delete. */
  readonly value?: Buffer
}

export class Writes {
  readonly #cluster: Cluster
  readonly #leases: Leases

  constructor(cluster: Cluster, leases: Leases) {
    this.#cluster = cluster
    this.#leases = leases
  }

  async put(request: PutRequest, call: Call): Promise<WriteResult> {
    const { key, value, expected, ttlSeconds } = request
    if (ttlSeconds === undefined) return this.#write({ put: { key, value } }, request, call)
    for (;;) {
      const lease = await this.#leases.leaseFor(ttlSeconds, call)
      try {
        return await this.#write({ put: { key, value, lease } }, { key, value, expected }, call)
      } catch (error) {
        if (!(error instanceof LeaseGone)) throw error
        this.#leases.forget(ttlSeconds)
      }
    }
  }

  async delete(request: DeleteRequest, call: Call): Promise<WriteResult> {
    const { key, expected } = request
    if (expected !== ABSENT) return this.#write({ deleteRange: { key } }, { key, expected }, call)
    const { header, kvs } = await this.#cluster.call(RANGE, { key }, call)
    const current = kvs[0]
    if (current === undefined) return { ok: true, revision: header.revision }
    return { ok: false, revision: header.revision, current: toKeyValue(current) }
  }

  async #write(op: RequestOp, intent: Intent, call: Call): Promise<WriteResult> {
    const { key, expected } = intent
    const txn: TxnRequest = {
      compare: [{ target: COMPARE_MOD, key, modRevision: expected }],
      success: [op],
      failure: [{ range: { key } }],
    }
    const began = performance.now()
    const doubt: { cause?: unknown } = {}
    const onFailure: Call['onFailure'] = (error, verdict) => {
      if (verdict.kind === 'lease-gone') throw new LeaseGone()
      if (verdict.kind !== 'again' || verdict.certain) return
      doubt.cause = error
      if (expected === ABSENT) throw new InDoubt()
    }
    try {
      const response = await this.#cluster.call(TXN, txn, { ...call, onFailure })
      if (doubt.cause === undefined || response.succeeded) return toResult(response)
      const first = await firstEventAfter(this.#cluster, { key, after: expected }, timeLeft(call, began))
      return resultOf(first, intent, response) ?? Promise.reject(unknown(key, doubt.cause))
    } catch (error) {
      if (doubt.cause === undefined || error instanceof CancelledError) throw error
      if (error instanceof InDoubt) return this.#findCreated(intent, timeLeft(call, began), doubt.cause)
      throw unknown(key, doubt.cause)
    }
  }

  async #findCreated({ key, value }: Intent, call: Call, cause: unknown): Promise<WriteResult> {
    try {
      const now = (await this.#cluster.call(RANGE, { key }, call)).kvs[0]
      if (now === undefined) throw unknown(key, cause)
      const revision = now.createRevision
      const first =
        revision === now.modRevision ? now : (await this.#cluster.call(RANGE, { key, revision }, call)).kvs[0]
      if (first === undefined || !value!.equals(first.value)) throw unknown(key, cause)
      return { ok: true, revision }
    } catch (error) {
      throw error instanceof CancelledError ? error : unknown(key, cause)
    }
  }
}

function toResult({ header, succeeded, responses }: TxnResponse): WriteResult {
  if (succeeded) return { ok: true, revision: header.revision }
  const current = responses[0]?.range?.kvs[0]
  return { ok: false, revision: header.revision, current: current === undefined ? undefined : toKeyValue(current) }
}

/** What became of a write in doubt, from what came first after the revision that it expected; undefined: cannot be told. */
function resultOf(first: KvEvent, intent: Intent, lost: TxnResponse): WriteResult | undefined {
  if (first.kind === 'delete') return intent.value === undefined ? undefined : toResult(lost)
  const ours = intent.value?.equals(first.value) === true
  return ours ? { ok: true, revision: first.revision } : toResult(lost)
}

function timeLeft(call: Call, began: number): Call {
  const totalMs = Math.max(1, call.patience.totalMs - (performance.now() - began))
  return { signal: call.signal, patience: { ...call.patience, totalMs } }
}

function unknown(key: string, cause: unknown): KvError {
  return new KvError('unknown', `it is not known whether the write of ${JSON.stringify(key)} happened`, { cause })
}

/** Whether a create was carried out is not known, and it may not be sent again. */
class InDoubt extends Error {
  override readonly name = 'InDoubt'
}

class LeaseGone extends Error {
  override readonly name = 'LeaseGone'
}
