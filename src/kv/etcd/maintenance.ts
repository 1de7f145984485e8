// Implements `Maintenance` with calls to etcd: the status and the defragmentation of each member, compaction, and the alarm for space.
import { CancelledError } from '../../lib/errors.ts'
import { KvError, type StoreSize } from '../kv.ts'
import {
  ALARM,
  AlarmRequestAction,
  AlarmType,
  COMPACT,
  DEFRAGMENT,
  RANGE,
  STATUS,
  type StatusResponse,
} from '../gen/rpc.ts'
import type { Maintenance, Member, Members } from '../maintenance.ts'
import type { Given, Rpc } from '../rpc.ts'
import type { Cluster } from './cluster.ts'
import type { Endpoint } from './endpoint.ts'
import { failure, judge, RpcError } from './verdict.ts'

/** A member that takes longer to read one key is not healthy. */
const ANSWER_WITHIN_MS = 2_000

const COMPACT_WITHIN_MS = 60_000

/** Enough for a database of the largest size that etcd is made for, on a slow disk. */
const DEFRAGMENT_WITHIN_MS = 10 * 60_000

/** Undefined: the database is in memory. */
export function sizeOf({ dbSize: bytes, dbSizeInUse, dbSizeQuota }: StatusResponse): StoreSize | undefined {
  if (bytes === 0) return undefined
  const limit =
    dbSizeQuota === 0 ? undefined : { quotaBytes: dbSizeQuota, availableBytes: Math.max(0, dbSizeQuota - bytes) }
  return { bytes, inUseBytes: dbSizeInUse, limit }
}

export class EtcdMaintenance implements Maintenance {
  readonly #cluster: Cluster
  /** Our user in etcd has the right to read keys under this prefix. */
  readonly #prefix: string

  constructor(cluster: Cluster, prefix: string) {
    this.#cluster = cluster
    this.#prefix = prefix
  }

  async members(signal: AbortSignal): Promise<Members> {
    const { endpoints } = this.#cluster
    const asked = await Promise.all(endpoints.map((endpoint) => this.#examine(endpoint, signal)))
    const answering = new Map<string, Member>()
    // Several URLs may lead to one member.
    for (const member of asked) if (member !== undefined) answering.set(member.id, member)
    const silent = endpoints.filter((_, i) => asked[i] === undefined).map(({ url }) => url)
    return { answering: [...answering.values()], silent }
  }

  async forgetHistory(signal: AbortSignal): Promise<void> {
    const call = { attemptMs: COMPACT_WITHIN_MS, deadline: performance.now() + COMPACT_WITHIN_MS, signal }
    const { header } = await this.#cluster.call(RANGE, { key: this.#prefix }, call)
    try {
      await this.#cluster.call(COMPACT, { revision: header.revision, physical: true }, call)
    } catch (error) {
      if (!(error instanceof KvError && error.code === 'compacted')) throw error
    }
  }

  async defragment({ url }: Member, signal: AbortSignal): Promise<void> {
    const endpoint = this.#cluster.endpoints.find((one) => one.url === url)
    if (endpoint === undefined) return
    // Our own calls go to another member while this one does not answer.
    this.#cluster.distrust(endpoint)
    await this.#send(endpoint, DEFRAGMENT, {}, { timeoutMs: DEFRAGMENT_WITHIN_MS, signal })
  }

  async disarmNoSpace(signal: AbortSignal): Promise<void> {
    const call = { attemptMs: ANSWER_WITHIN_MS, deadline: performance.now() + 2 * ANSWER_WITHIN_MS, signal }
    const { alarms } = await this.#cluster.call(ALARM, { action: AlarmRequestAction.GET }, call)
    for (const { memberId, alarm } of alarms) {
      if (alarm !== AlarmType.NO_SPACE) continue
      await this.#cluster.call(ALARM, { action: AlarmRequestAction.DEACTIVATE, memberId, alarm }, call)
    }
  }

  /** Undefined if the member does not answer a read from its own database, or has its database in memory. */
  async #examine(endpoint: Endpoint, signal: AbortSignal): Promise<Member | undefined> {
    try {
      const limits = { timeoutMs: ANSWER_WITHIN_MS, signal }
      const status = await this.#send(endpoint, STATUS, {}, limits)
      await this.#send(endpoint, RANGE, { key: this.#prefix, serializable: true }, limits)
      const { memberId } = status.header
      const size = sizeOf(status)
      if (size === undefined) return undefined
      const errors = status.errors.filter((text) => !text.includes('NOSPACE'))
      const problems = [
        ...errors,
        ...(status.leader === 0n ? ['it has no leader'] : []),
        ...(status.isLearner ? ['it is a learner'] : []),
      ]
      return { url: endpoint.url, id: String(memberId), isLeader: status.leader === memberId, size, problems }
    } catch {
      if (signal.aborted) throw new CancelledError(signal.reason)
      return undefined
    }
  }

  async #send<Request, Response>(
    endpoint: Endpoint,
    rpc: Rpc<Request, Response>,
    request: Given<Request>,
    limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<Response> {
    try {
      return await endpoint.unary(rpc, request, { ...limits, headers: this.#cluster.headers })
    } catch (error) {
      throw error instanceof RpcError ? failure(error, judge(error)) : error
    }
  }
}
