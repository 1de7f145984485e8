// The faults of a simulated run. Each is injected between two events, held for a while, and healed.
import type { Dice } from './dice.ts'
import type { EtcdMember } from './etcd-member.ts'
import type { World } from './world.ts'

export interface Injected {
  readonly what: string
  readonly heal: () => void
}

export interface Fault {
  readonly sort: string
  /** For how long it is held, in milliseconds. */
  readonly held: readonly [number, number]
  /** Undefined where it makes no sense now. */
  readonly inject: (world: World, dice: Dice, clients: readonly string[]) => Injected | undefined
}

const SHORT = [200, 3_000] as const
const LONG = [1_000, 16_000] as const
const HOUR_MS = 3_600_000

interface Pair {
  readonly one: string
  readonly other: string
}

type PickPair = (world: World, dice: Dice, clients: readonly string[]) => Pair

const toMember: PickPair = ({ replicas, cluster }, dice) => ({
  one: dice.pick(replicas).name,
  other: dice.pick(cluster.members).name,
})
const toClient: PickPair = ({ replicas }, dice, clients) => ({
  one: dice.pick(replicas).name,
  other: dice.pick(clients),
})
const betweenMembers: PickPair = ({ cluster }, dice) => {
  const one = dice.pick(cluster.members)
  return { one: one.name, other: dice.pick(cluster.members.filter((member) => member !== one)).name }
}

function onWay(
  sort: string,
  held: Fault['held'],
  pick: PickPair,
  begin: (world: World, pair: Pair, dice: Dice) => string,
): Fault {
  return {
    sort,
    held,
    inject(world, dice, clients) {
      const pair = pick(world, dice, clients)
      const what = begin(world, pair, dice)
      return {
        what: `${pair.one} and ${pair.other}${what}`,
        heal: () => {
          world.network.mend(pair.one, pair.other)
          world.network.mend(pair.other, pair.one)
        },
      }
    },
  }
}

function cutBoth({ network }: World, { one, other }: Pair): string {
  network.cut(one, other)
  network.cut(other, one)
  return ''
}

function cutOne({ network }: World, { one, other }: Pair, dice: Dice): string {
  const isThere = dice.chance(0.5)
  network.cut(...(isThere ? ([one, other] as const) : ([other, one] as const)))
  return isThere ? ', there' : ', back'
}

function slow({ network }: World, { one, other }: Pair, dice: Dice): string {
  const delayMs = Math.round(dice.between(20, 3_000))
  network.way(one, other).delayMs = delayMs
  if (dice.chance(0.5)) network.way(other, one).delayMs = delayMs
  return `, ${delayMs} ms`
}

function breakNow({ network }: World, { one, other }: Pair): string {
  network.break(one, other)
  return ''
}

/** The request arrives, its answer does not. */
function loseAnswers({ network }: World, { one, other }: Pair, dice: Dice): string {
  const [from, to] = one.startsWith('s') && other.startsWith('m') ? [other, one] : [one, other]
  network.way(from, to).breaks = 1 + dice.below(3)
  return ''
}

/** Most of the time a leader is more interesting than others. */
function pickMember({ cluster }: World, dice: Dice): EtcdMember {
  return dice.chance(0.4) ? (cluster.leader ?? dice.pick(cluster.members)) : dice.pick(cluster.members)
}

/** A member of which the others are enough. */
function spareMember(world: World, dice: Dice): EtcdMember | undefined {
  const { members } = world.cluster
  const down = members.filter((one) => !one.isUp || one.process.state !== 'running').length
  const member = pickMember(world, dice)
  return down === 0 && member.isUp ? member : undefined
}

function freezing(
  sort: string,
  held: Fault['held'],
  pick: (world: World, dice: Dice) => { readonly name: string; readonly process: World['loop']['host'] } | undefined,
): Fault {
  return {
    sort,
    held,
    inject(world, dice) {
      const frozen = pick(world, dice)
      if (frozen === undefined) return undefined
      const { process, name } = frozen
      world.loop.freeze(process)
      return { what: name, heal: () => world.loop.thaw(process) }
    },
  }
}

export const FAULTS: readonly Fault[] = [
  onWay('way to etcd cut', LONG, toMember, cutBoth),
  onWay('way to etcd cut in one direction', LONG, toMember, cutOne),
  onWay('way to etcd slow', LONG, toMember, slow),
  onWay('connections to etcd broken', SHORT, toMember, breakNow),
  onWay('answers of etcd lost', SHORT, toMember, loseAnswers),
  onWay('way of a client cut', SHORT, toClient, cutBoth),
  onWay('way of a client cut in one direction', SHORT, toClient, cutOne),
  onWay('answers to a client lost', SHORT, toClient, loseAnswers),
  onWay('members of etcd cut off from each other', LONG, betweenMembers, cutBoth),
  onWay('members of etcd cut off in one direction', LONG, betweenMembers, cutOne),
  freezing('server frozen', LONG, ({ replicas }, dice) => dice.pick(replicas)),
  freezing('member frozen', LONG, spareMember),
  {
    sort: 'all of etcd cut off from a server',
    held: LONG,
    inject({ replicas, cluster, network }, dice) {
      const { name } = dice.pick(replicas)
      for (const member of cluster.members) {
        network.cut(name, member.name)
        network.cut(member.name, name)
      }
      const heal = (): void => {
        for (const member of cluster.members) {
          network.mend(name, member.name)
          network.mend(member.name, name)
        }
      }
      return { what: name, heal }
    },
  },
  {
    sort: 'server crashed',
    held: SHORT,
    inject({ replicas }, dice) {
      const replica = dice.pick(replicas)
      const isSilent = dice.chance(0.3)
      if (replica.process.state === 'dead') return undefined
      replica.crash(isSilent)
      const heal = (): void => {
        if (replica.process.state === 'dead') void replica.start()
      }
      return { what: `${replica.name}${isSilent ? ' with its machine' : ''}`, heal }
    },
  },
  {
    sort: 'member crashed',
    held: LONG,
    inject(world, dice) {
      const member = spareMember(world, dice)
      if (member === undefined) return undefined
      const isSilent = dice.chance(0.3)
      world.cluster.crash(member, isSilent)
      return { what: `${member.name}${isSilent ? ' with its machine' : ''}`, heal: () => world.cluster.restart(member) }
    },
  },
  {
    sort: 'all members crashed',
    held: SHORT,
    inject({ cluster }) {
      for (const member of cluster.members) cluster.crash(member, false)
      const heal = (): void => {
        for (const member of cluster.members) cluster.restart(member)
      }
      return { what: 'etcd', heal }
    },
  },
  {
    sort: 'leader deposed',
    held: SHORT,
    inject({ cluster }) {
      cluster.depose()
      return { what: `${cluster.leader?.name} leads`, heal: () => {} }
    },
  },
  {
    sort: 'member lags',
    held: LONG,
    inject({ cluster }, dice) {
      const member = dice.pick(cluster.members)
      member.lagMs = Math.round(dice.between(50, 2_000))
      return { what: `${member.name} by ${member.lagMs} ms`, heal: () => (member.lagMs = 0) }
    },
  },
  {
    sort: 'history compacted',
    held: SHORT,
    inject({ cluster }, dice) {
      const back = dice.chance(0.5) ? 0 : dice.below(30)
      cluster.compactNow(back)
      return { what: `${back} before the newest`, heal: () => {} }
    },
  },
  {
    sort: 'etcd full',
    held: SHORT,
    inject({ cluster }) {
      cluster.isFull = true
      return { what: 'etcd', heal: () => (cluster.isFull = false) }
    },
  },
  {
    sort: 'leases end late',
    held: SHORT,
    inject({ cluster }) {
      cluster.renewLeases()
      return { what: 'all', heal: () => {} }
    },
  },
  {
    sort: 'clock jumped',
    held: LONG,
    inject({ replicas }, dice) {
      const { process, name } = dice.pick(replicas)
      process.skewMs = Math.round(dice.between(-HOUR_MS, HOUR_MS))
      return { what: `${name} by ${process.skewMs} ms`, heal: () => (process.skewMs = 0) }
    },
  },
  {
    sort: 'clock set',
    held: LONG,
    inject({ replicas }, dice) {
      const { process, name } = dice.pick(replicas)
      const skewMs = Math.round(dice.between(-2_000, 2_000))
      process.skewMs = skewMs
      return { what: `${name} by ${skewMs} ms`, heal: () => (process.skewMs = 0) }
    },
  },
]
