// Limits the memory for histories and snapshots of all types together. Beyond the limit, the types with the most history forget the
// oldest part. Older changes and states are read from the storage (D8, D9).

/** The memory of a change besides the bytes of its object: its records and its part of the queues. */
export const RECORD_BYTES = 512
/** The memory of a state: the nodes of its tree that one change replaces. */
export const STATE_BYTES = 2048
/** The memory of a node of a tree. */
export const NODE_BYTES = 640

export interface PastHolder {
  readonly pastBytes: number
  /** Forgets the oldest changes and states until the rest takes at most this many bytes. */
  forgetPast(downTo: number): void
}

export interface PastLimits {
  /** The lowest limit. */
  readonly bytes: number
  /** The highest limit. */
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

  /** Half of the stored bytes, but within the lowest and the highest limit. */
  get limit(): number {
    const { bytes, mostBytes } = this.#limits
    return Math.max(bytes, Math.min(mostBytes, this.stored / 2))
  }

  get isOver(): boolean {
    return this.used > this.limit
  }

  /** Frees more than needed, so that not every change must free memory. A type below its share forgets nothing. */
  trim(holders: readonly PastHolder[]): void {
    if (!this.isOver) return
    const level = fillLevel(
      holders.map(({ pastBytes }) => pastBytes),
      (this.limit * 15) / 16,
    )
    for (const holder of holders) if (holder.pastBytes > level) holder.forgetPast(level)
  }
}

/** The highest limit that keeps the sum at or below `total` if each amount is cut to it. */
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
