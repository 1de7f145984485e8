// The memory for histories and snapshots of all types together. Over the limit, the types that have most forget their oldest;
// what is older is read from the storage (D8, D9).

/** What a change takes beside the bytes of its object: its records and its part of the queues. */
export const RECORD_BYTES = 512
/** What a state takes: the nodes of its tree that are no longer those of the newest, of one change. */
export const STATE_BYTES = 2048
/** A node of a tree. */
export const NODE_BYTES = 640

export interface PastHolder {
  readonly pastBytes: number
  /** Forgets the oldest until it has no more than so many bytes, or nothing that it could forget. */
  forgetPast(downTo: number): void
}

export interface PastLimits {
  /** The limit, however little is stored. */
  readonly bytes: number
  /** The highest limit, however much is stored. */
  readonly mostBytes: number
}

export class PastBudget {
  /** Bytes of histories and snapshots. */
  used = 0
  /** Bytes of current objects. */
  stored = 0
  readonly #limits: PastLimits

  constructor(limits: PastLimits) {
    this.#limits = limits
  }

  /** Half as much as is stored. */
  get limit(): number {
    const { bytes, mostBytes } = this.#limits
    return Math.max(bytes, Math.min(mostBytes, this.stored / 2))
  }

  get isOver(): boolean {
    return this.used > this.limit
  }

  /** Makes some room at a time, so that not every change has to. A cache that has less than its share of the rest forgets nothing. */
  trim(holders: readonly PastHolder[]): void {
    if (!this.isOver) return
    const level = fillLevel(
      holders.map(({ pastBytes }) => pastBytes),
      (this.limit * 15) / 16,
    )
    for (const holder of holders) if (holder.pastBytes > level) holder.forgetPast(level)
  }
}

/** The highest that the amounts can be cut off at so that they are not more than `total` together. */
export function fillLevel(amounts: readonly number[], total: number): number {
  const ascending = amounts.toSorted((a, b) => a - b)
  let left = total
  for (const [place, amount] of ascending.entries()) {
    const share = left / (ascending.length - place)
    if (amount > share) return share
    left -= amount
  }
  return Infinity
}
