// One member of the simulated etcd: `kv/serve` on the memory engine. What it reads it reads from its own engine, once that has come as far
// as the leader had when it was asked; what it writes goes through the leader into the log that all members apply.
import { readAsStream } from '../../src/lib/runtime/read-socket.ts'
import { openGrpcSessions } from '../../src/wire/grpc-server.ts'
import { type MemoryKv, type MemorySnapshot, openMemory } from '../../src/kv/embedded/memory.ts'
import { KvError, type KvWatch, type Revision, type StoreSize } from '../../src/kv/kv.ts'
import { answerEtcd } from '../../src/kv/serve/serve.ts'
import { Lessor } from '../../src/kv/serve/lessor.ts'
import { RpcFailure } from '../../src/kv/serve/rpc-failure.ts'
import type {
  RangeWatchRequest,
  StoredEvent,
  StoredGetResult,
  StoredHistory,
  StoredListResult,
  StoredRange,
  TransactionalKv,
  TransactionRequest,
} from '../../src/kv/transactional.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { cancellable } from '../../src/lib/cancellable.ts'
import type { Entry, EtcdCluster } from './etcd-cluster.ts'
import type { Process } from './loop.ts'

/** gRPC's UNAVAILABLE, as etcd answers where it cannot tell, or does not know a leader. */
const UNAVAILABLE = 14
/** etcd's, for what goes through its log. */
const REQUEST_LIMIT_MS = 7_000
const MAX_MESSAGE_BYTES = 2 * 1024 * 1024
const QUOTA_BYTES = 2 * 1024 * 1024 * 1024

interface Waiter {
  readonly index: number
  readonly resolve: () => void
}

export class EtcdMember implements TransactionalKv {
  readonly name: string
  readonly engine: MemoryKv
  readonly #cluster: EtcdCluster
  process: Process
  isUp = false
  /** So many entries of the log are in its engine. */
  applied = 0
  /** It applies each entry so much later. */
  lagMs = 0
  /** As far as it knows, by what it heard last. */
  leader: EtcdMember | undefined
  term = 0
  /** Of the leader's. */
  lessor: Lessor | undefined
  readonly #waiters = new Set<Waiter>()
  readonly #results = new Map<Entry, (result: Promise<unknown>) => void>()
  #isApplying = false

  constructor(name: string, cluster: EtcdCluster, process: Process, snapshot?: MemorySnapshot) {
    this.name = name
    this.#cluster = cluster
    this.process = process
    this.engine = openMemory({ clock: systemClock, ...(snapshot === undefined ? {} : { snapshot }) })
  }

  /** Serves from now on; in its process. */
  start(process: Process): void {
    this.process = process
    this.isUp = true
    const { network } = this.#cluster
    const identity = {
      name: this.name,
      memberId: BigInt(this.name.charCodeAt(1)),
      clusterId: 7n,
      raftTerm: 0,
    }
    Object.defineProperty(identity, 'raftTerm', { get: () => this.term })
    const onFault = (error: unknown): void => this.#cluster.fail(`a member broke: ${String((error as Error).stack)}`)
    const onCall = answerEtcd({
      kv: this,
      clock: systemClock,
      identity,
      leases: this.#leases(),
      clientUrls: () => [`http://${this.name}:2379`],
      onFault,
    })
    const sessions = openGrpcSessions({ maxMessageBytes: MAX_MESSAGE_BYTES, onCall, onFault }, readAsStream)
    network.listen(this.name, process, (socket) => sessions.onSocket(socket as never))
    this.catchUp()
  }

  /** Its memory is gone, its disk is not. */
  crash(isSilent: boolean): void {
    this.isUp = false
    this.leader = undefined
    this.lessor?.close()
    this.lessor = undefined
    this.#waiters.clear()
    this.#results.clear()
    this.#isApplying = false
    this.#cluster.network.leave(this.name, isSilent)
  }

  get oldest(): Revision {
    return this.engine.oldest
  }

  async get(key: string, options: { readonly at?: Revision }, signal: AbortSignal): Promise<StoredGetResult> {
    await this.#untilCurrent(signal)
    return this.engine.get(key, options, signal)
  }

  async list(range: StoredRange, signal: AbortSignal): Promise<StoredListResult> {
    await this.#untilCurrent(signal)
    return this.engine.list(range, signal)
  }

  async transact<Result>(request: TransactionRequest<Result>, signal: AbortSignal): Promise<Result> {
    if (this.#cluster.isFull && !request.freesSpace) throw new KvError('full', 'the store is full')
    const entry: Entry = {
      apply: (engine) => engine.transact(request, NEVER),
      transaction: request,
    }
    return (await this.#throughLog(entry, signal)) as Result
  }

  async compact(upTo: Revision, signal: AbortSignal): Promise<void> {
    await this.#throughLog({ apply: (engine) => engine.compact(upTo, NEVER) }, signal)
  }

  watch(): KvWatch {
    throw new Error('not for members')
  }

  commit(): never {
    throw new Error('not for members')
  }

  watchRange(request: RangeWatchRequest, signal: AbortSignal): KvWatch<StoredEvent> {
    return this.engine.watchRange(request, signal)
  }

  newestRevision(signal: AbortSignal): Promise<Revision> {
    return this.engine.newestRevision(signal)
  }

  leases() {
    return this.engine.leases()
  }

  openHistory(): StoredHistory {
    return this.engine.openHistory()
  }

  async checkHealth(): Promise<void> {
    if (this.#cluster.isFull) throw new KvError('full', 'the store is full')
  }

  async size(): Promise<StoreSize> {
    const bytes = this.#cluster.isFull ? QUOTA_BYTES : QUOTA_BYTES / 64
    return { bytes, inUseBytes: bytes, limit: { quotaBytes: QUOTA_BYTES, availableBytes: QUOTA_BYTES - bytes } }
  }

  async close(): Promise<void> {}

  /** Hears of a leader; undefined: it misses one. */
  follow(leader: EtcdMember | undefined, term: number): void {
    if (!this.isUp || term < this.term) return
    this.leader = leader
    this.term = term
    if (leader !== this) {
      this.lessor?.close()
      this.lessor = undefined
    } else if (this.lessor === undefined) {
      // As etcd: all leases begin anew, in favour of those who have them.
      this.lessor = new Lessor(this, systemClock)
    }
    this.catchUp()
  }

  /** Applies what the log has, entry by entry. */
  catchUp(): void {
    if (!this.isUp || this.#isApplying || this.applied >= this.#reachable) return
    this.#isApplying = true
    const { loop, dice } = this.#cluster
    loop.at(this.lagMs + dice.between(0.05, 0.5), this.process, () => void this.#applyNext())
  }

  /** What it has been sent of the log: the leader's part of it, or what it had before. */
  get #reachable(): number {
    const { leader } = this
    if (leader === this) return this.#cluster.log.length
    if (leader === undefined || !this.#cluster.network.isOpen(leader.name, this.name)) return this.applied
    return this.#cluster.log.length
  }

  async #applyNext(): Promise<void> {
    const entry = this.#cluster.log[this.applied]!
    this.applied++
    const result = entry.apply(this.engine)
    result.catch(() => undefined)
    const newest = newestOf(this.engine)
    if (newest !== entry.revision) {
      this.#cluster.fail(`${this.name} is at ${newest} behind entry ${this.applied}, which made ${entry.revision}`)
    }
    this.#results.get(entry)?.(result)
    this.#results.delete(entry)
    await result.catch(() => undefined)
    for (const waiter of this.#waiters) {
      if (waiter.index > this.applied) continue
      this.#waiters.delete(waiter)
      waiter.resolve()
    }
    this.#isApplying = false
    this.catchUp()
  }

  /** Resolves when it has applied what was committed at some moment from now on. */
  async #untilCurrent(signal: AbortSignal): Promise<void> {
    if (this.leader === undefined) throw new RpcFailure(UNAVAILABLE, 'etcdserver: no leader')
    const index = await this.#limited(this.#cluster.readIndex(this), signal)
    if (this.applied >= index) return
    this.catchUp()
    const waiting = new Promise<void>((resolve) => this.#waiters.add({ index, resolve }))
    await this.#limited(waiting, signal)
  }

  async #throughLog(entry: Entry, signal: AbortSignal): Promise<unknown> {
    if (this.leader === undefined) throw new RpcFailure(UNAVAILABLE, 'etcdserver: no leader')
    const applied = new Promise<unknown>((resolve) => this.#results.set(entry, resolve))
    this.#cluster.propose(this, entry)
    return this.#limited(applied, signal)
  }

  async #limited<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => late.reject(new RpcFailure(UNAVAILABLE, 'etcdserver: request timed out')),
      REQUEST_LIMIT_MS,
    )
    try {
      return await cancellable(Promise.race([work, late.promise]), signal)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Leases are the leader's: the others ask it. */
  #leases() {
    const lessor = (): Lessor => {
      const found = this.leader?.lessor
      if (found === undefined) throw new RpcFailure(UNAVAILABLE, 'etcdserver: no leader')
      return found
    }
    const asked = <T>(ask: (lessor: Lessor) => Promise<T>, signal: AbortSignal): Promise<T> =>
      this.#limited(
        this.#cluster.ask(this, () => ask(lessor())),
        signal,
      )
    return {
      get ids() {
        return lessor().ids
      },
      grant: (id: bigint, seconds: number, signal: AbortSignal) =>
        asked((one) => one.grant(id, seconds, NEVER), signal),
      revoke: (id: bigint, signal: AbortSignal) => asked((one) => one.revoke(id, NEVER), signal),
      keepAlive: (id: bigint) => lessor().keepAlive(id),
      timeOf: (id: bigint) => lessor().timeOf(id),
      keysOf: (id: bigint, signal: AbortSignal) => asked((one) => one.keysOf(id, NEVER), signal),
    }
  }
}

/** Without a copy of the engine's state. */
export function newestOf(engine: MemoryKv): Revision {
  return (engine as unknown as { readonly newest: Revision }).newest
}

const NEVER = new AbortController().signal
