// The seats of one priority level that workers of a server lend each other. Each worker has its own part of them; what it does not
// use it lends, and has back when it wants it, as soon as requests that took it are over. So all workers together never have more.

/** What a level needs of the other workers; their answers come when they come, or do not. */
export interface SeatExchange {
  /** Some requests find no seat: asks for so many more. */
  want(level: string, seats: number): void
  /** Gives so many back that were borrowed. */
  giveBack(level: string, seats: number): void
}

/** A level on its own: nobody lends anything. */
export const NO_EXCHANGE: SeatExchange = { want: () => {}, giveBack: () => {} }

/** A request that comes to a worker that has lent most of its seats finds some: one is at most 0.15 of a level wide. */
const KEPT_SHARE = 0.25

export interface SeatsInUse {
  /** The level's own seats at this time. */
  readonly own: number
  readonly inUse: number
  /** What those need that wait. */
  readonly waiting: number
}

export class SeatLoan {
  lent = 0
  borrowed = 0
  /** Asked back by whoever has lent them, and taken by requests that still run. */
  due = 0

  /** What there may be taken at this time. */
  limit(own: number): number {
    return Math.max(0, own + this.borrowed - this.lent)
  }

  /** Lends some of those that nobody uses; half of them at most, since more is asked for where that does not do. */
  lend(most: number, { own, inUse, waiting }: SeatsInUse, nominal: number): number {
    const kept = Math.max(inUse + waiting, Math.ceil(own * KEPT_SHARE), 1)
    const idle = this.limit(own) - kept
    const given = Math.max(0, Math.min(most, Math.ceil(idle / 2), nominal - this.lent))
    this.lent += given
    return given
  }

  /** So many that were borrowed are not to be used any more, but by those who do. */
  recall(seats: number): void {
    const recalled = Math.min(seats, this.borrowed)
    this.borrowed -= recalled
    this.due += recalled
  }

  /** How many of those that are due nobody uses now; they are no longer here. */
  takeFree({ own, inUse }: Pick<SeatsInUse, 'own' | 'inUse'>): number {
    const free = Math.min(this.due, Math.max(0, this.limit(own) + this.due - inUse))
    this.due -= free
    return free
  }
}
