// The simulated etcd: members with one replicated log. A leader appends what a majority has; what a deposed leader had under way may
// come into the log of the next one or be lost. The log is the truth: it is kept by an engine that no fault reaches, and what it does is
// told at the moment of the commit.
import { type MemoryKv, type MemorySnapshot, openMemory } from '../../src/kv/embedded/memory.ts'
import type { Revision } from '../../src/kv/kv.ts'
import type { Transaction, TransactionRequest } from '../../src/kv/transactional.ts'
import { systemClock } from '../../src/lib/clock.ts'
import type { Dice } from './dice.ts'
import { EtcdMember, newestOf } from './etcd-member.ts'
import type { Loop } from './loop.ts'
import type { Network } from './network.ts'

export interface Entry {
  readonly apply: (engine: MemoryKv) => Promise<unknown>
  /** Absent: a compaction. */
  readonly transaction?: TransactionRequest<unknown>
  /** The newest revision behind it, once it is committed. */
  revision?: Revision
}

/** A change of a key, as it was committed. */
export interface CommittedChange {
  readonly key: string
  readonly revision: Revision
  /** Absent: a delete. */
  readonly value: Buffer | undefined
}

const HEARTBEAT_MS = 100
/** Without a word of its leader for so long, a member looks for another. */
const ELECTION_MS = [1_000, 2_000] as const
const FSYNC_MS = [0.2, 2] as const

export interface ClusterParts {
  readonly loop: Loop
  readonly network: Network
  readonly dice: Dice
  /** What all members have at the beginning. */
  readonly snapshot?: MemorySnapshot | undefined
}

export class EtcdCluster {
  readonly loop: Loop
  readonly network: Network
  readonly dice: Dice
  readonly members: readonly EtcdMember[]
  readonly log: Entry[] = []
  readonly truth: MemoryKv
  /** Told of every change, in the order of revisions. */
  onChange: (change: CommittedChange) => void = () => {}
  fail: (what: string) => void = () => {}
  isFull = false
  term = 0
  leader: EtcdMember | undefined
  #leaderlessSinceMs = 0
  #electionMs = 0
  #isStopped = false
  readonly #lastSeen = new Map<EtcdMember, number>()
  #limbo: Entry[] = []

  constructor(parts: ClusterParts, count: number) {
    this.loop = parts.loop
    this.network = parts.network
    this.dice = parts.dice
    const { snapshot } = parts
    this.truth = openMemory({ clock: systemClock, ...(snapshot === undefined ? {} : { snapshot }) })
    this.members = Array.from(
      { length: count },
      (_, i) => new EtcdMember(`m${i}`, this, this.loop.process(`m${i}`), snapshot),
    )
  }

  start(): void {
    for (const member of this.members) this.restart(member)
    this.#elect(this.dice.pick(this.members))
    this.#beat()
  }

  stop(): void {
    this.#isStopped = true
  }

  crash(member: EtcdMember, isSilent: boolean): void {
    if (!member.isUp) return
    this.loop.within(member.process, () => member.crash(isSilent))
    this.loop.kill(member.process)
  }

  restart(member: EtcdMember): void {
    if (member.isUp) return
    const process = this.loop.process(`${member.name}.${this.loop.events}`)
    this.loop.within(process, () => member.start(process))
  }

  /** Another one leads from now on, where there is one that can. */
  depose(): void {
    const others = this.members.filter((one) => one !== this.leader && this.#canLead(one))
    if (others.length > 0) this.#elect(this.dice.pick(others))
  }

  /** As a client of etcd would, from nowhere: at so many revisions before the newest. */
  compactNow(back: number): void {
    const { truth } = this
    void truth.newestRevision(NEVER).then((newest) => {
      if (this.leader !== undefined) this.#commit({ apply: (engine) => engine.compact(newest - back, NEVER) })
    })
  }

  /** As a change of the leader does. */
  renewLeases(): void {
    const { leader } = this
    if (leader === undefined || !leader.isUp) return
    this.loop.within(leader.process, () => {
      leader.lessor?.close()
      leader.lessor = undefined
      leader.follow(leader, leader.term)
    })
  }

  /** What the leader had committed, once a majority has confirmed that it leads. Never resolves where that is lost. */
  readIndex(member: EtcdMember): Promise<number> {
    return this.ask(member, async () => this.log.length)
  }

  /** Asks the leader, which asks a majority whether it still leads. Never resolves where one of these is lost. */
  ask<T>(member: EtcdMember, answer: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const { leader } = member
    if (leader === undefined) return promise
    const { term } = leader
    this.#hop(member, leader, () => {
      this.#majority(leader, term, () => {
        // Also where it throws at once.
        Promise.resolve()
          .then(answer)
          .then(
            (value) => this.#hop(leader, member, () => resolve(value)),
            (error: unknown) => this.#hop(leader, member, () => reject(error)),
          )
      })
    })
    return promise
  }

  propose(member: EtcdMember, entry: Entry): void {
    const { leader } = member
    if (leader === undefined) return
    const { term } = leader
    this.#hop(member, leader, () => {
      this.#majority(
        leader,
        term,
        () => this.#commit(entry),
        () => this.#limbo.push(entry),
      )
    })
  }

  #commit(entry: Entry): void {
    this.log.push(entry)
    const { transaction } = entry
    if (transaction === undefined) void entry.apply(this.truth)
    else {
      const run = (one: Transaction): unknown => transaction.run(this.#told(one))
      this.truth.transact({ ...transaction, run }, NEVER).catch(() => undefined)
    }
    entry.revision = newestOf(this.truth)
    for (const member of this.members) {
      if (member === this.leader) member.catchUp()
      else if (this.leader !== undefined)
        this.network.send(this.leader.name, member.name, member.process, () => member.catchUp())
    }
  }

  /** The same, which tells what it does. */
  #told(transaction: Transaction): Transaction {
    const tell = (key: string, value: Buffer | undefined): void =>
      this.onChange({ key, value, revision: transaction.newest })
    return {
      get before() {
        return transaction.before
      },
      get newest() {
        return transaction.newest
      },
      get: (key) => transaction.get(key),
      items: (range, limit) => transaction.items(range, limit),
      keys: (range) => transaction.keys(range),
      put(put) {
        transaction.put(put)
        tell(put.key, Buffer.from(put.value))
      },
      remove(key) {
        transaction.remove(key)
        tell(key, undefined)
      },
      removeRange: (range) => {
        const keys = transaction.keys(range)
        for (const key of keys) {
          transaction.remove(key)
          tell(key, undefined)
        }
        return keys.length
      },
      secondsOfLease: (lease) => transaction.secondsOfLease(lease),
      keysOfLease: (lease) => transaction.keysOfLease(lease),
      grantLease: (lease, seconds) => transaction.grantLease(lease, seconds),
      forgetLease: (lease) => transaction.forgetLease(lease),
    }
  }

  #hop(from: EtcdMember, to: EtcdMember, act: () => void): void {
    if (from === to) this.loop.at(0.01, to.process, act)
    else this.network.send(from.name, to.name, to.process, act)
  }

  /** `then` in the leader's process where it has heard of a majority in its term; `otherwise` where it leads no more. */
  #majority(leader: EtcdMember, term: number, then: () => void, otherwise?: () => void): void {
    const { size, others } = this.#reachedBy(leader)
    const slowest = Math.max(
      0,
      ...others
        .map((one) => 2 * this.network.latency(leader.name, one.name))
        .sort((a, b) => a - b)
        .slice(0, Math.floor(this.members.length / 2)),
    )
    const waitMs = slowest + this.dice.between(...FSYNC_MS)
    this.loop.at(waitMs, leader.process, () => {
      const leads = this.leader === leader && leader.term === term
      if (leads && 2 * size > this.members.length) then()
      else otherwise?.()
    })
  }

  #reachedBy(leader: EtcdMember): { readonly size: number; readonly others: readonly EtcdMember[] } {
    const others = this.members.filter(
      (one) => one !== leader && this.#isAlive(one) && this.network.isOpen(leader.name, one.name),
    )
    return { size: others.length + 1, others }
  }

  #isAlive(member: EtcdMember): boolean {
    return member.isUp && member.process.state === 'running'
  }

  #canLead(member: EtcdMember): boolean {
    return this.#isAlive(member) && 2 * this.#reachedBy(member).size > this.members.length
  }

  #elect(member: EtcdMember): void {
    this.term++
    const { term } = this
    this.leader = member
    // A part of what the last leader had under way has come to the next one.
    const inherited = this.#limbo.splice(0).filter(() => this.dice.chance(0.5))
    this.loop.note(`elect ${member.name} ${term}`)
    this.loop.within(member.process, () => {
      member.follow(member, term)
      for (const entry of inherited) this.#commit(entry)
    })
    for (const other of this.members) {
      this.#lastSeen.set(other, this.loop.nowMs)
      if (other !== member) this.network.send(member.name, other.name, other.process, () => other.follow(member, term))
    }
  }

  #beat(): void {
    if (this.#isStopped) return
    this.loop.at(HEARTBEAT_MS, this.loop.host, () => this.#beat())
    const { nowMs } = this.loop
    const { leader } = this
    if (leader !== undefined && this.#canLead(leader)) {
      this.#leaderlessSinceMs = nowMs
      this.#electionMs = this.dice.between(...ELECTION_MS)
    } else if (nowMs - this.#leaderlessSinceMs > this.#electionMs) {
      this.leader = undefined
      const able = this.members.filter((one) => this.#canLead(one))
      if (able.length > 0) this.#elect(this.dice.pick(able))
    }
    const heard = this.leader !== undefined && this.#canLead(this.leader) ? this.leader : undefined
    for (const member of this.members) this.#hear(member, heard)
  }

  /** What a member knows of its leader. */
  #hear(member: EtcdMember, leader: EtcdMember | undefined): void {
    if (!this.#isAlive(member)) return
    const { term } = this
    const { nowMs } = this.loop
    if (leader !== undefined && (leader === member || this.network.isOpen(leader.name, member.name))) {
      this.#lastSeen.set(member, nowMs)
      this.loop.within(member.process, () => member.follow(leader, term))
    } else if (nowMs - (this.#lastSeen.get(member) ?? 0) > ELECTION_MS[0]) {
      this.loop.within(member.process, () => member.follow(undefined, member.term))
    }
  }
}

const NEVER = new AbortController().signal
