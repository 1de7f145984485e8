// Creating a key, exactly once or not at all, also where answers are lost.
//
// "The key is not there" can become true again, so a create that is sent twice, or arrives late, could bring back what
// another client has deleted meanwhile. Therefore every create has a second condition: that a certain other key, the fence, is not
// there either. Normally it never is. When an answer was lost the fence is put up: from that revision on the create in doubt
// cannot happen any more, and whether it did before is written in the key's history. If it did not, it is sent again, with
// another fence. (Updates need none of this: the revision that they expect never comes back.)
import { randomUUID } from 'node:crypto'
import { CancelledError } from '../../lib/errors.ts'
import { type KeyValue, type PutRequest, prefixRange, type Revision, type WriteResult } from '../kv.ts'
import { type Compare, CompareTarget, RANGE, type RequestOp, TXN, type TxnRequest } from '../gen/rpc.ts'
import type { Given } from '../rpc.ts'
import type { Call, Cluster, OnFailure } from './cluster.ts'
import { toKeyValue } from './key-value.ts'
import type { Leases } from './leases.ts'
import { history } from './watch.ts'

/** Longer than any request can be under way, and not the time to live of anything else: a lease takes its keys along. */
const FENCE_SECONDS = 3_601

/** Where fences are: under the prefix that we have rights to, and where no key of ours is. */
export function fencePrefix(prefix: string): string {
  return `${prefix}\0fence/`
}

/** The first key behind them: a list of everything under the prefix begins there. */
export function behindFences(prefix: string): string {
  return prefixRange(fencePrefix(prefix)).end
}

/** A write may have been carried out, and it cannot be found out whether it was. */
export class UnknownOutcome extends Error {
  override readonly name = 'UnknownOutcome'
}

/** An attempt may have been carried out. */
class InDoubt extends Error {
  override readonly name = 'InDoubt'
}

interface Fence {
  readonly key: string
  /** Set once a create puts the fence up: resolves, when it stands, with the revision of its own event. */
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

  /** `onFailure` sees every failed attempt. Throws `UnknownOutcome`, and otherwise only where nothing was written. */
  async create(put: Given<RequestOp>, request: PutRequest, call: Call, onFailure: OnFailure): Promise<WriteResult> {
    for (;;) {
      const fence = this.#fence
      const since = this.#cluster.newestSeen
      let result: WriteResult | undefined
      try {
        result = await this.#attempt(put, request.key, { fence, call, onFailure })
      } catch (error) {
        if (!(error instanceof InDoubt)) throw error
        result = await this.#lookUp(request, { fence, since, call }).catch((reason: unknown) => {
          throw reason instanceof CancelledError ? reason : new UnknownOutcome(error.message, { cause: reason })
        })
      }
      if (result !== undefined) return result
    }
  }

  /** Undefined: the fence was up, and nothing happened. */
  async #attempt(
    put: Given<RequestOp>,
    key: string,
    { fence, call, onFailure }: { readonly fence: Fence; readonly call: Call; readonly onFailure: OnFailure },
  ): Promise<WriteResult | undefined> {
    const txn: Given<TxnRequest> = {
      compare: [absent(key), absent(fence.key)],
      success: [put],
      failure: [{ range: { key } }],
    }
    const { header, succeeded, responses } = await this.#cluster.call(TXN, txn, call, (error, verdict) => {
      onFailure(error, verdict)
      if (verdict.kind === 'again' && !verdict.certain) throw new InDoubt(error.message, { cause: error })
    })
    if (succeeded) return { ok: true, revision: header.revision }
    const current = toKeyValue(responses[0]?.range?.kvs[0])
    return current === undefined ? undefined : { ok: false, revision: header.revision, current }
  }

  /** What became of a create in doubt. Undefined: it did not happen and never will. */
  async #lookUp(
    request: PutRequest,
    { fence, since, call }: { readonly fence: Fence; readonly since: Revision; readonly call: Call },
  ): Promise<WriteResult | undefined> {
    // Who creates from now on does so behind another one.
    if (this.#fence === fence) this.#fence = newFence(this.#prefix)
    const upTo = await this.#raise(fence, call)
    const { header, kvs } = await this.#cluster.call(RANGE, { key: request.key }, call)
    const current = toKeyValue(kvs[0])
    const ours = await this.#findOurs(request, current, { ...call, fence, since, upTo })
    if (ours !== undefined) return { ok: true, revision: ours }
    return current === undefined ? undefined : { ok: false, revision: header.revision, current }
  }

  /** Those who are in doubt together share one putting up; where it fails, the next one tries. */
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

  /** It may be put up twice: it stands from the first time on. */
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

  /**
   * The revision at which our bytes created the key, if they did. Where etcd's progress cannot be trusted, everything from the
   * fence to the key is searched: the fence's own event marks the end.
   */
  async #findOurs(
    { key, value }: PutRequest,
    current: KeyValue | undefined,
    how: Call & { readonly fence: Fence; readonly since: Revision; readonly upTo: Revision },
  ): Promise<Revision | undefined> {
    const { fence, since } = how
    if (current !== undefined) {
      // It was there before we began, and has been since.
      if (current.createRevision <= since) return undefined
      if (current.createRevision === current.revision && current.value.equals(value)) return current.revision
    }
    const range = this.#cluster.answersProgressRight ? { key } : { key: fence.key, rangeEnd: `${key}\0` }
    for await (const event of history(this.#cluster, { ...range, after: since }, how)) {
      const isCreate = event.kind === 'put' && event.key === key && event.revision === event.createRevision
      if (isCreate && event.value.equals(value)) return event.revision
    }
    return undefined
  }
}

function newFence(prefix: string): Fence {
  return { key: fencePrefix(prefix) + randomUUID(), raised: undefined }
}

function absent(key: string): Given<Compare> {
  return { target: CompareTarget.MOD, key, modRevision: 0 }
}
