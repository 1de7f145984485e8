// What goes wrong in a run: a table of faults. Each is injected, held for a while and healed; chance decides which, whom and for how long.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { findOnPath } from '../../rigs/made-once.ts'
import type { EtcdServer } from '../../rigs/etcd-server.ts'
import { compact, fillUp, leaderOf, makeRoom } from './etcd-members.ts'
import { type Replica, signal } from './replica.ts'
import type { World } from './world.ts'

export interface FaultParts {
  readonly world: World
  readonly roll: (sides: number) => number
  /** The newest revision that the record of the store has: what is before may be forgotten. */
  readonly recorded: () => number
}

/** What was done, and how it is undone. */
export interface Injected {
  readonly what: string
  readonly heal: () => Promise<void>
}

export interface Fault {
  readonly sort: string
  /** For how long it is held, at least and at most. */
  readonly ms: readonly [number, number]
  readonly inject: (parts: FaultParts) => Promise<Injected>
}

const nothing = (): Promise<void> => Promise.resolve()

async function anyMember({ world, roll }: FaultParts): Promise<{ member: EtcdServer; what: string }> {
  const leader = await leaderOf(world.members)
  const followers = world.members.filter((member) => member !== leader)
  return roll(2) === 0
    ? { member: leader, what: 'the leader of etcd' }
    : { member: followers[roll(followers.length)]!, what: 'a follower of etcd' }
}

function anyReplica({ world, roll }: FaultParts): { replica: Replica; what: string } {
  const place = roll(world.replicas.length)
  return { replica: world.replicas[place]!, what: `replica ${place}` }
}

/** The parts that one proxy or all proxies of a replica to etcd stand for. */
function anyProxies(parts: FaultParts): { proxies: Replica['toStore']; what: string } {
  const { replica, what } = anyReplica(parts)
  if (parts.roll(2) === 0) return { proxies: replica.toStore, what: `${what} and etcd` }
  const place = parts.roll(replica.toStore.length)
  return { proxies: [replica.toStore[place]!], what: `${what} and a member of etcd` }
}

const OF_ETCD: readonly Fault[] = [
  {
    sort: 'etcd member killed',
    ms: [100, 3_000],
    inject: async (parts) => {
      const { member, what } = await anyMember(parts)
      await member.kill()
      return { what, heal: () => member.start() }
    },
  },
  {
    sort: 'etcd member frozen',
    ms: [100, 3_000],
    inject: async (parts) => {
      const { member, what } = await anyMember(parts)
      await member.freeze()
      return { what, heal: async () => member.thaw() }
    },
  },
  {
    sort: 'etcd member restarted',
    ms: [0, 500],
    inject: async (parts) => {
      const { member, what } = await anyMember(parts)
      await member.stop()
      return { what, heal: () => member.start() }
    },
  },
  {
    sort: 'all of etcd killed',
    ms: [100, 2_000],
    inject: async ({ world: { members } }) => {
      await Promise.all(members.map((member) => member.kill()))
      return { what: 'three members', heal: async () => void (await Promise.all(members.map((one) => one.start()))) }
    },
  },
  {
    sort: 'all of etcd frozen',
    ms: [100, 2_000],
    inject: async ({ world: { members } }) => {
      await Promise.all(members.map((member) => member.freeze()))
      return { what: 'three members', heal: async () => members.forEach((member) => member.thaw()) }
    },
  },
]

const OF_REPLICAS: readonly Fault[] = [
  {
    sort: 'replica killed',
    ms: [100, 2_000],
    inject: async (parts) => {
      const { replica, what } = anyReplica(parts)
      const isAll = parts.roll(2) === 0
      await replica.kill(isAll ? 'all' : 'supervisor')
      return { what: `${what}, ${isAll ? 'with its workers' : 'its supervisor'}`, heal: () => replica.start() }
    },
  },
  {
    sort: 'replica frozen',
    ms: [100, 3_000],
    inject: async (parts) => {
      const { replica, what } = anyReplica(parts)
      await replica.freeze()
      return { what, heal: async () => replica.thaw() }
    },
  },
  {
    sort: 'replica restarted',
    ms: [0, 500],
    inject: async (parts) => {
      const { replica, what } = anyReplica(parts)
      await replica.stop()
      return { what, heal: () => replica.start() }
    },
  },
  {
    sort: 'worker killed',
    ms: [0, 500],
    inject: async (parts) => {
      const { replica, what } = anyReplica(parts)
      const pids = replica.workers
      signal(pids[parts.roll(pids.length)]!, 'SIGKILL')
      return { what: `one of ${what}`, heal: nothing }
    },
  },
  {
    sort: 'worker frozen',
    // Some for so long that they are replaced.
    ms: [100, 10_000],
    inject: async (parts) => {
      const { replica, what } = anyReplica(parts)
      const pids = replica.workers
      const pid = pids[parts.roll(pids.length)]!
      signal(pid, 'SIGSTOP')
      return { what: `one of ${what}`, heal: async () => signal(pid, 'SIGCONT') }
    },
  },
  {
    sort: 'clock moved',
    ms: [500, 2_000],
    inject: async (parts) => {
      const { replica, what } = anyReplica(parts)
      const seconds = (parts.roll(2) === 0 ? -1 : 1) * (1 + parts.roll(3_600))
      replica.clock?.move(seconds)
      return { what: `${what} by ${seconds} s`, heal: async () => replica.clock?.move(0) }
    },
  },
]

const OF_NETWORK: readonly Fault[] = [
  {
    sort: 'cut between replica and etcd',
    ms: [50, 2_000],
    inject: async (parts) => {
      const { proxies, what } = anyProxies(parts)
      proxies.forEach((proxy) => proxy.refuse())
      return { what, heal: async () => proxies.forEach((proxy) => proxy.accept()) }
    },
  },
  {
    sort: 'silence between replica and etcd',
    ms: [50, 2_000],
    inject: async (parts) => {
      const { proxies, what } = anyProxies(parts)
      const way = parts.roll(2) === 0 ? 'all' : 'answers'
      proxies.forEach((proxy) => proxy.silence(way))
      return { what: `${what}, ${way}`, heal: async () => proxies.forEach((proxy) => proxy.resume()) }
    },
  },
  {
    sort: 'delay between replica and etcd',
    ms: [500, 3_000],
    inject: async (parts) => {
      const { proxies, what } = anyProxies(parts)
      const ms = 5 + parts.roll(150)
      proxies.forEach((proxy) => proxy.delay(ms))
      return { what: `${what}, ${ms} ms each way`, heal: async () => proxies.forEach((proxy) => proxy.delay(0)) }
    },
  },
  {
    sort: 'cut between clients and replica',
    ms: [0, 1_000],
    inject: async (parts) => {
      const { replica, what } = anyReplica(parts)
      replica.toClients.refuse()
      return { what, heal: async () => replica.toClients.accept() }
    },
  },
  {
    sort: 'delay between clients and replica',
    ms: [500, 2_000],
    inject: async (parts) => {
      const { replica, what } = anyReplica(parts)
      const ms = 5 + parts.roll(150)
      replica.toClients.delay(ms)
      return { what: `${what}, ${ms} ms each way`, heal: async () => replica.toClients.delay(0) }
    },
  },
]

const OF_DISK: readonly Fault[] = [
  {
    sort: 'history compacted',
    ms: [0, 100],
    inject: async ({ world, roll, recorded }) => {
      const revision = recorded()
      await compact(world.members[roll(world.members.length)]!, revision)
      return { what: `at ${revision}`, heal: nothing }
    },
  },
  {
    sort: 'disk full',
    ms: [200, 1_500],
    inject: async ({ world: { members }, recorded }) => {
      await fillUp(members[0]!)
      return { what: 'no space left for etcd', heal: () => makeRoom(members, recorded) }
    },
  },
]

/** `strace` holds up the calls by which etcd has its disk written: it is not linked to libc, where that could be done otherwise. */
const SLOW_DISK: Fault = {
  sort: 'slow disk',
  ms: [500, 2_500],
  inject: async (parts) => {
    const isAll = parts.roll(3) === 0
    const { member, what } = await anyMember(parts)
    const ms = 10 + parts.roll(150)
    const slowed = (isAll ? parts.world.members : [member]).map(({ pid }) => slowDown(pid!, ms))
    const heal = async (): Promise<void> => {
      await Promise.all(slowed.map((tracer) => endTracer(tracer)))
    }
    return { what: `${isAll ? 'of all of etcd' : `of ${what}`}, ${ms} ms each sync`, heal }
  },
}

export function slowDown(pid: number, ms: number): ChildProcess {
  const calls = 'fsync,fdatasync'
  const rule = `inject=${calls}:delay_enter=${ms}ms`
  return spawn('strace', ['-f', '-qq', '-o', '/dev/null', '-e', `trace=${calls}`, '-e', rule, '-p', String(pid)], {
    stdio: 'ignore',
  })
}

export async function endTracer(tracer: ChildProcess): Promise<void> {
  if (tracer.exitCode !== null || tracer.signalCode !== null) return
  const gone = once(tracer, 'exit')
  tracer.kill('SIGINT')
  await gone
}

/** All that this machine can do, and what it lacks for the others. */
export async function possibleFaults(world: World): Promise<{ faults: readonly Fault[]; lacking: readonly string[] }> {
  const faults = [...OF_ETCD, ...OF_REPLICAS, ...OF_NETWORK, ...OF_DISK]
  const lacking: string[] = []
  if ((await findOnPath('strace')) === undefined) lacking.push('no slow disks: there is no strace')
  else faults.push(SLOW_DISK)
  const hasClock = world.replicas.every(({ clock }) => clock !== undefined)
  if (!hasClock) lacking.push('no moved clocks: there is no C compiler for moved-clock.c')
  return { faults: faults.filter(({ sort }) => hasClock || sort !== 'clock moved'), lacking }
}
