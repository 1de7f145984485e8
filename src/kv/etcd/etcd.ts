// The engine on etcd 3.4 to 3.7. Start here: `openEtcd`. Returned values are views of etcd's answers. To keep a value for long, copy it.
import { throwIfCancelled } from '../../lib/errors.ts'
import {
  checkCommit,
  type Commit,
  type GetResult,
  type KeyValue,
  KvError,
  type KvWatch,
  type ListResult,
  type Range,
  type Revision,
  type StoreSize,
  type StreamedRange,
  type WatchRequest,
  type WriteResult,
} from '../kv.ts'
import type { RestorableKv, SkipRequest } from '../copy.ts'
import type { Maintenance } from '../maintenance.ts'
import {
  COMPACT,
  LEASE_TIME_TO_LIVE,
  RANGE,
  type RangeRequest,
  type RangeResponse,
  STATUS,
  type StatusResponse,
  TXN,
} from '../gen/rpc.ts'
import type { Given } from '../rpc.ts'
import { BURNT_A_SECOND, burnRevisions } from './burnt-revisions.ts'
import { type Call, Cluster, type ClusterOptions } from './cluster.ts'
import { behindFences, fencePrefix } from './creates.ts'
import { diagnose } from './diagnosis.ts'
import { toKeyValue } from './key-value.ts'
import { EtcdMaintenance, sizeOf } from './maintenance.ts'
import { RangeStream } from './range-stream.ts'
import { compacted, EtcdWatch, oldestRevision, toTarget } from './watch.ts'
import { Writes } from './writes.ts'

export type { Dial } from './dialer.ts'

export interface EtcdOptions extends ClusterOptions {
  /** The time to wait for etcd when the engine is opened. Absent: 10 s. */
  readonly openTimeoutMs?: number
  /** Whether large ranges are read by one call, if the members support it. Absent: true. */
  readonly streamsRanges?: boolean
  /** The time for one attempt of a call. Absent: 5 s. */
  readonly attemptTimeoutMs?: number
  /** The time for all attempts of a call. Absent: 15 s. */
  readonly callTimeoutMs?: number
}

interface CallLimits {
  readonly attemptMs: number
  readonly totalMs: number
}

const OPEN_TIMEOUT_MS = 10_000
const CALL_LIMITS: CallLimits = Object.freeze({ attemptMs: 5_000, totalMs: 15_000 })

/** A list may have hundreds of megabytes, and another attempt would take as long. */
const LIST_LIMITS: CallLimits = Object.freeze({ attemptMs: 60_000, totalMs: 60_000 })

const HEALTH_LIMITS: CallLimits = Object.freeze({ attemptMs: 2_000, totalMs: 2_000 })
const CONNECT_ROUND_MS = 1_000

/**
 * Resolves when etcd has answered a read. Throws `KvError` with a message of one line: `unavailable` if no member can be reached in time,
 * `denied` if the certificate or the password is refused.
 */
export async function openEtcd(options: EtcdOptions, signal: AbortSignal): Promise<Etcd> {
  const cluster = new Cluster(options)
  try {
    await reach(cluster, options, signal)
    await cluster.login(cluster.headers)
    const engine = new Etcd(cluster, options)
    await engine.newestRevision(signal)
    await Promise.all(
      cluster.endpoints.filter(({ isReady }) => isReady).map((endpoint) => cluster.learnVersion(endpoint)),
    )
    return engine
  } catch (error) {
    cluster.close()
    throw error
  }
}

/** Waits for the first connection. Gives up early if waiting does not help. */
async function reach(cluster: Cluster, options: EtcdOptions, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + (options.openTimeoutMs ?? OPEN_TIMEOUT_MS)
  for (;;) {
    try {
      await cluster.connected(Math.min(deadline, performance.now() + CONNECT_ROUND_MS), signal)
      return
    } catch (error) {
      if (!(error instanceof KvError) || error.code !== 'unavailable') throw error
      const reasons = await Promise.all(cluster.endpoints.map((endpoint) => diagnose(endpoint, options.tls)))
      const code = reasons.every((reason) => reason.code === 'denied') ? 'denied' : 'unavailable'
      if (code === 'unavailable' && performance.now() < deadline) continue
      throw new KvError(code, `cannot connect to etcd at ${reasons.map(({ text }) => text).join('; ')}`, {
        cause: error,
      })
    }
  }
}

export class Etcd implements RestorableKv {
  readonly maintenance: Maintenance
  readonly #cluster: Cluster
  readonly #prefix: string
  readonly #limits: CallLimits
  readonly #writes: Writes
  readonly #streamsRanges: boolean
  #underWay = 0
  #whenIdle: (() => void) | undefined
  #closing: Promise<void> | undefined

  constructor(cluster: Cluster, options: EtcdOptions) {
    this.#cluster = cluster
    this.#prefix = options.prefix
    this.#limits = {
      attemptMs: options.attemptTimeoutMs ?? CALL_LIMITS.attemptMs,
      totalMs: options.callTimeoutMs ?? CALL_LIMITS.totalMs,
    }
    this.#writes = new Writes(cluster, options.prefix)
    this.#streamsRanges = options.streamsRanges ?? true
    this.maintenance = new EtcdMaintenance(cluster, options.prefix)
  }

  /** The number of open watches and calls, for tests. */
  get liveHandles(): number {
    return this.#cluster.watches.size + this.#underWay
  }

  async get(key: string, options: { readonly at?: Revision }, signal: AbortSignal): Promise<GetResult> {
    const { header, kvs } = await this.#range({ key, revision: options.at }, this.#limits, signal)
    return { revision: header.revision, item: toKeyValue(kvs[0]) }
  }

  async list(range: Range, signal: AbortSignal): Promise<ListResult> {
    const { header, kvs, more, count } = await this.listWithLeases(range, signal)
    const result = { revision: header.revision, items: kvs.map((kv) => toKeyValue(kv)), more }
    return range.countAll === true ? { ...result, count } : result
  }

  async stream(range: StreamedRange, signal: AbortSignal): Promise<AsyncIterable<readonly KeyValue[]> | undefined> {
    if (!this.#streamsRanges) return undefined
    const start = range.start === this.#prefix ? behindFences(range.start) : range.start
    const stream = new RangeStream(this.#cluster, { ...range, start }, signal)
    return (await stream.begin()) ? stream : undefined
  }

  /** Reads like `list`, but returns etcd's response, which has the leases of the keys. */
  listWithLeases({ start, end, limit, at }: Range, signal: AbortSignal): Promise<RangeResponse> {
    // For etcd, an empty end means "only this key", and a zero byte means "to the last key of all".
    const isEmpty = end === '' || end === '\0'
    const from = start === this.#prefix ? behindFences(start) : start
    const request: Given<RangeRequest> = {
      key: from === '' || isEmpty ? '\0' : from,
      rangeEnd: isEmpty ? '\0\0' : end,
      limit,
      revision: at,
    }
    return this.#range(request, LIST_LIMITS, signal)
  }

  /** The remaining time of the lease unless it is kept alive. Below zero: the lease does not exist. */
  async secondsOfLease(id: bigint, signal: AbortSignal): Promise<number> {
    return (await this.#do(this.#limits, signal, (call) => this.#cluster.call(LEASE_TIME_TO_LIVE, { id }, call))).ttl
  }

  async commit(commit: Commit, signal: AbortSignal): Promise<WriteResult> {
    checkCommit(commit)
    return this.#do(this.#limits, signal, (call) => this.#writes.commit(commit, call))
  }

  watch(request: WatchRequest, signal: AbortSignal): KvWatch {
    return new EtcdWatch(this.#cluster, toTarget(request, fencePrefix(this.#prefix)), signal)
  }

  async compact(upTo: Revision, signal: AbortSignal): Promise<void> {
    try {
      await this.#do(this.#limits, signal, (call) => this.#cluster.call(COMPACT, { revision: upTo }, call))
    } catch (error) {
      // Another client, or an attempt whose answer was lost, has already compacted the history.
      if (!isCompacted(error)) throw error
    }
  }

  async newestRevision(signal: AbortSignal): Promise<Revision> {
    return (await this.#range({ key: this.#prefix }, this.#limits, signal)).header.revision
  }

  get revisionsPerSecond(): number {
    return BURNT_A_SECOND
  }

  async skipTo(request: SkipRequest, signal: AbortSignal): Promise<void> {
    const { key, value } = request
    const put = { success: [{ put: { key, value } }] }
    await burnRevisions(request, {
      newest: await this.newestRevision(signal),
      put: async () =>
        (await this.#do(this.#limits, signal, (call) => this.#cluster.call(TXN, put, call))).header.revision,
      compact: (upTo) => this.compact(upTo, signal),
    })
  }

  /** A read shows that etcd can read. etcd's status shows whether it refuses writes. */
  async checkHealth(signal: AbortSignal): Promise<void> {
    await this.#range({ key: this.#prefix }, HEALTH_LIMITS, signal)
    const { errors } = await this.#status(signal)
    const alarm = errors.find((text) => text.includes('alarm:'))
    if (alarm === undefined) return
    throw new KvError(alarm.includes('NOSPACE') ? 'full' : 'corrupt', `etcd has raised an alarm: ${alarm.trim()}`)
  }

  async size(signal: AbortSignal): Promise<StoreSize | undefined> {
    return sizeOf(await this.#status(signal))
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#cluster.refuse()
    for (const watch of this.#cluster.watches) watch.stop()
    if (this.#underWay > 0) await new Promise<void>((resolve) => (this.#whenIdle = resolve))
    this.#cluster.close()
  }

  #status(signal: AbortSignal): Promise<StatusResponse> {
    return this.#do(HEALTH_LIMITS, signal, (call) => this.#cluster.call(STATUS, {}, call))
  }

  async #range(request: Given<RangeRequest>, limits: CallLimits, signal: AbortSignal): Promise<RangeResponse> {
    try {
      // For etcd, revision 0 means the newest.
      if (request.revision !== undefined && request.revision < 1) throw compacted(request.revision, undefined)
      return await this.#do(limits, signal, (call) => this.#cluster.call(RANGE, request, call))
    } catch (error) {
      if (!isCompacted(error)) throw error
      throw compacted(request.revision, (await oldestRevision(this.#cluster, request.key ?? '', signal)) ?? 1)
    }
  }

  async #do<T>(limits: CallLimits, signal: AbortSignal, work: (call: Call) => Promise<T>): Promise<T> {
    this.#cluster.throwIfClosed()
    throwIfCancelled(signal)
    this.#underWay++
    try {
      return await work({ attemptMs: limits.attemptMs, deadline: performance.now() + limits.totalMs, signal })
    } finally {
      this.#underWay--
      if (this.#underWay === 0) this.#whenIdle?.()
    }
  }
}

function isCompacted(error: unknown): boolean {
  return error instanceof KvError && error.code === 'compacted'
}
