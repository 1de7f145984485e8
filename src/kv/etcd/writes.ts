// Conditional writes, each one transaction, and the finding out of what became of one whose answer was lost.
//
// A lost answer (a cut connection, a time limit, a leader that is gone) leaves three possibilities: the write happened, it never will, or it is still
// on its way, in a frozen member's socket or a leader's log, and happens later. Creates are dealt with in `creates.ts`. For an
// update or delete at revision E: a key's revisions only rise, so "its revision is E" holds until the first write after E and
// never again. Sending the same transaction again is therefore safe: of all its copies at most one succeeds. If the repetition
// succeeds, it is the one. If it loses, the key has moved on and no copy can succeed any more: then the *first* event of the
// key after E tells which write did it. A put of our very bytes was ours (two writers with the same bytes at the same E cannot
// be told apart, and have got the same thing); another put means that we lost, cleanly. A delete, where we wanted to delete,
// may have been that of any client: that is `unknown`, since otherwise two clients could be told that each did it alone.
//
// Where history has been compacted, or no answer comes in time, it is `unknown` too. A call that was refused (no leader, no
// valid token) or never sent (no connection) did nothing, and is simply tried again.
import { CancelledError } from '../../lib/errors.ts'
import { ABSENT, type DeleteRequest, KvError, type KvEvent, type PutRequest, type WriteResult } from '../kv.ts'
import { CompareTarget, RANGE, type RequestOp, TXN, type TxnRequest, type TxnResponse } from '../gen/rpc.ts'
import type { Given } from '../rpc.ts'
import type { Call, Cluster, OnFailure } from './cluster.ts'
import { UnknownOutcome, Creates } from './creates.ts'
import { toKeyValue } from './key-value.ts'
import { Leases } from './leases.ts'
import { history } from './watch.ts'

/** A change of a key at a revision; without a value a delete. */
interface Intent {
  readonly key: string
  readonly expected: number
  readonly value?: Buffer
}

export class Writes {
  readonly #cluster: Cluster
  readonly #leases: Leases
  readonly #creates: Creates

  constructor(cluster: Cluster, prefix: string) {
    this.#cluster = cluster
    this.#leases = new Leases(cluster)
    this.#creates = new Creates(cluster, this.#leases, prefix)
  }

  async put(request: PutRequest, call: Call): Promise<WriteResult> {
    const { key, value, ttlSeconds } = request
    if (ttlSeconds === undefined) return this.#put({ put: { key, value } }, request, call)
    for (;;) {
      const lease = await this.#leases.leaseFor(ttlSeconds, call)
      try {
        return await this.#put({ put: { key, value, lease } }, request, call)
      } catch (error) {
        if (!(error instanceof LeaseGone)) throw error
        this.#leases.forget(ttlSeconds)
      }
    }
  }

  async delete(request: DeleteRequest, call: Call): Promise<WriteResult> {
    const { key, expected } = request
    if (expected !== ABSENT) return this.#change({ deleteRange: { key } }, { key, expected }, call)
    const { header, kvs } = await this.#cluster.call(RANGE, { key }, call)
    const current = kvs[0]
    if (current === undefined) return { ok: true, revision: header.revision }
    return { ok: false, revision: header.revision, current: toKeyValue(current) }
  }

  async #put(op: Given<RequestOp>, request: PutRequest, call: Call): Promise<WriteResult> {
    try {
      if (request.expected !== ABSENT) return await this.#change(op, request, call)
      return await this.#creates.create(op, request, call, throwLeaseGone)
    } catch (error) {
      const stored =
        error instanceof KvError && error.code === 'full' ? await this.#whatIsStored(request, call) : undefined
      if (stored !== undefined) return stored
      throw error instanceof UnknownOutcome ? unknown(request.key, error) : error
    }
  }

  /** An etcd that runs full stores the put that crosses the line and answers that it is full all the same. */
  async #whatIsStored({ key, value, expected }: PutRequest, call: Call): Promise<WriteResult | undefined> {
    const { kvs } = await this.#cluster.call(RANGE, { key }, call)
    const current = toKeyValue(kvs[0])
    if (current === undefined || current.revision === expected || !current.value.equals(value)) return undefined
    return { ok: true, revision: current.revision }
  }

  async #change(op: Given<RequestOp>, intent: Intent, call: Call): Promise<WriteResult> {
    const { key, expected } = intent
    const txn: Given<TxnRequest> = {
      compare: [{ target: CompareTarget.MOD, key, modRevision: expected }],
      success: [op],
      failure: [{ range: { key } }],
    }
    let doubt: unknown
    try {
      const response = await this.#cluster.call(TXN, txn, call, (error, verdict) => {
        throwLeaseGone(error, verdict)
        if (verdict.kind === 'again' && !verdict.certain) doubt = error
      })
      if (doubt === undefined || response.succeeded) return toResult(response)
      return await this.#lookUp(intent, response, call)
    } catch (error) {
      if (doubt === undefined || error instanceof CancelledError) throw error
      throw unknown(key, doubt)
    }
  }

  /** The outcome of a change in doubt that cannot happen any more. */
  async #lookUp(intent: Intent, lost: TxnResponse, call: Call): Promise<WriteResult> {
    const { key, expected } = intent
    for await (const event of history(
      this.#cluster,
      { key, after: expected },
      { ...call, upTo: lost.header.revision },
    )) {
      if (isOurs(event, intent)) return { ok: true, revision: event.revision }
      if (event.kind === 'delete' && intent.value === undefined)
        throw new UnknownOutcome('the key was deleted, by us or by another client')
      break
    }
    return toResult(lost)
  }
}

function isOurs(event: KvEvent, intent: Intent): boolean {
  return event.kind === 'put' && intent.value?.equals(event.value) === true
}

function toResult({ header, succeeded, responses }: TxnResponse): WriteResult {
  if (succeeded) return { ok: true, revision: header.revision }
  return { ok: false, revision: header.revision, current: toKeyValue(responses[0]?.range?.kvs[0]) }
}

function unknown(key: string, cause: unknown): KvError {
  return new KvError('unknown', `unknown outcome: the write of ${JSON.stringify(key)} may have been applied`, { cause })
}

/** The lease that a put names is gone from etcd, and nothing was written. */
class LeaseGone extends Error {
  override readonly name = 'LeaseGone'
}

const throwLeaseGone: OnFailure = (_, verdict) => {
  if (verdict.kind === 'lease-gone') throw new LeaseGone()
}
