// Carries out commits that expect a key to be absent. Each happens once or not at all, even if an answer is lost.
//
// The condition "the key is absent" can become true again. So a create that is sent twice, or arrives late, could restore a key that
// another client has deleted meanwhile. Therefore each of these commits has one more condition: another key, the fence, must also be
// absent. Normally there is no fence. If an answer was lost, the fence is put up. From that revision on, the create in doubt cannot happen.
// The history of the key tells whether it happened before. If not, the create is sent again with another fence. (Updates need no fence: the
// revision that they expect never comes back.)
import { randomUUID } from 'node:crypto'
import { CancelledError } from '../../lib/errors.ts'
import { type Commit, prefixRange, type Revision, type WriteResult } from '../kv.ts'
import { CompareTarget, TXN, type TxnRequest } from '../gen/rpc.ts'
import type { Given } from '../rpc.ts'
import type { Call, Cluster, OnFailure } from './cluster.ts'
import type { Leases } from './leases.ts'
import { currentOf, lostKey, revisionOf, UnknownOutcome } from './outcome.ts'

/**
 * Longer than any request lasts. Other keys must not use a lease with this time to live: when a lease ends, etcd deletes all of its keys.
 */
const FENCE_SECONDS = 3_601

/** The prefix of all fences. It begins with our own prefix, so we have rights to it. No other key of ours begins with it. */
export function fencePrefix(prefix: string): string {
  return `${prefix}\0fence/`
}

/** The first key after the fences. A list of everything under the prefix begins there. */
export function behindFences(prefix: string): string {
  return prefixRange(fencePrefix(prefix)).end
}

/** Thrown if an attempt may have been carried out. */
class InDoubt extends Error {
  override readonly name = 'InDoubt'
}

interface Fence {
  readonly key: string
  /** Set when a create puts up the fence. Resolves with the revision of the fence's event. */
  raised: Promise<Revision> | undefined
}

export class Creates {
  readonly #cluster: Cluster
  readonly #leases: Leases
  readonly #prefix: string
  #fence: Fence

  constructor(cluster: Cluster, leases: Leases, prefix: string) {
    this.#cluster = cluster
    this.#leases = leases
    this.#prefix = prefix
    this.#fence = newFence(prefix)
  }

  /**
   * `onFailure` sees every failed attempt. Throws `UnknownOutcome` if the outcome cannot be found out. After any other error except
   * `CancelledError`, nothing was written.
   */
  async create(commit: Commit, txn: Given<TxnRequest>, call: Call, onFailure: OnFailure): Promise<WriteResult> {
    for (;;) {
      const fence = this.#fence
      const since = this.#cluster.newestSeen
      try {
        const result = await this.#attempt(commit, txn, { fence, call, onFailure })
        if (result !== undefined) return result
      } catch (error) {
        if (!(error instanceof InDoubt)) throw error
        const revision = await this.#lookUp(commit, { fence, since, call }).catch((reason: unknown) => {
          throw reason instanceof CancelledError ? reason : new UnknownOutcome(error.message, { cause: reason })
        })
        if (revision !== undefined) return { ok: true, revision }
      }
    }
  }

  /** Undefined: the fence was up, so nothing was written. */
  async #attempt(
    commit: Commit,
    txn: Given<TxnRequest>,
    { fence, call, onFailure }: { readonly fence: Fence; readonly call: Call; readonly onFailure: OnFailure },
  ): Promise<WriteResult | undefined> {
    const compare = [...(txn.compare ?? []), { target: CompareTarget.MOD, key: fence.key, modRevision: 0 }]
    const response = await this.#cluster.call(TXN, { ...txn, compare }, call, (error, verdict) => {
      onFailure(error, verdict)
      if (verdict.kind === 'again' && !verdict.certain) throw new InDoubt(error.message, { cause: error })
    })
    const { revision } = response.header
    if (response.succeeded) return { ok: true, revision }
    const lost = lostKey(commit, response)
    return lost && { ok: false, revision, current: await currentOf(this.#cluster, commit, lost, call) }
  }

  /** The revision of a commit in doubt. Undefined: the commit did not happen and never will. */
  async #lookUp(
    commit: Commit,
    { fence, since, call }: { readonly fence: Fence; readonly since: Revision; readonly call: Call },
  ): Promise<Revision | undefined> {
    // Commits from now on have another fence.
    if (this.#fence === fence) this.#fence = newFence(this.#prefix)
    const upTo = await this.#raise(fence, call)
    return revisionOf(this.#cluster, commit, { ...call, upTo, since, mark: fence.key })
  }

  /** Puts up the fence once for concurrent creates in doubt. If this fails, the next of these creates tries. */
  async #raise(fence: Fence, call: Call): Promise<Revision> {
    for (;;) {
      if (fence.raised === undefined) {
        fence.raised = this.#putUp(fence, call)
        return fence.raised
      }
      const revision = await fence.raised.catch(() => undefined)
      if (revision !== undefined) return revision
    }
  }

  /** A retry may put the fence a second time. The fence is effective from the first put. */
  async #putUp(fence: Fence, call: Call): Promise<Revision> {
    try {
      const lease = await this.#leases.leaseFor(FENCE_SECONDS, call)
      const put = { key: fence.key, value: Buffer.alloc(0), lease }
      return (await this.#cluster.call(TXN, { success: [{ put }] }, call)).header.revision
    } catch (error) {
      fence.raised = undefined
      throw error
    }
  }
}

function newFence(prefix: string): Fence {
  return { key: fencePrefix(prefix) + randomUUID(), raised: undefined }
}
