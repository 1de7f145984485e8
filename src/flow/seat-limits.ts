// The seats of each priority level: the nominal share, and the current limit with borrowed and lent seats (P-210).
import type { LevelSpec } from './flow-objects.ts'

export interface NominalSeats {
  readonly nominal: number
  /** The seats that the level keeps even if other levels need more. */
  readonly lower: number
  /** The largest number of seats that the level may have. */
  readonly upper: number
}

/** Returns the seats of each level, by the level's name. */
export function nominalSeats(levels: readonly LevelSpec[], total: number): ReadonlyMap<string, NominalSeats> {
  const shares = levels.reduce((sum, level) => sum + level.shares, 0)
  return new Map(
    levels.map((level) => {
      const nominal = shares === 0 ? 0 : Math.ceil((total * level.shares) / shares)
      const lendable = Math.round((nominal * level.lendablePercent) / 100)
      const { borrowingLimitPercent: percent } = level
      const borrowable = percent === undefined ? total : Math.round((nominal * percent) / 100)
      return [level.name, { nominal, lower: nominal - lendable, upper: nominal + borrowable }]
    }),
  )
}

/** The largest number of seats of a level that one request may take (P-211). */
export function mostSeatsOfOne(nominal: number, handSize: number | undefined): number {
  const byHand = handSize === undefined ? nominal : nominal / handSize
  return Math.max(1, Math.floor(Math.min(nominal * 0.15, byHand)))
}

export interface LevelDemand {
  readonly name: string
  readonly lower: number
  readonly upper: number
  /** The recent demand. */
  readonly target: number
}

/** Shares out all seats. Each level gets the same fraction of its demand, within its lower and upper bounds. */
export function shareOut(demands: readonly LevelDemand[], total: number): ReadonlyMap<string, number> {
  const sumAt = (fraction: number): number => demands.reduce((sum, demand) => sum + granted(demand, fraction), 0)
  let low = 0
  let high = 1
  while (sumAt(high) < total && high < 2 ** 40) high *= 2
  for (let round = 0; round < 60; round++) {
    const middle = (low + high) / 2
    if (sumAt(middle) < total) low = middle
    else high = middle
  }
  return new Map(demands.map((demand) => [demand.name, Math.round(granted(demand, high))]))
}

function granted({ target, lower, upper }: LevelDemand, fraction: number): number {
  return Math.min(upper, Math.max(lower, Math.max(target, 1) * fraction))
}

/** The smoothed demand rises at once and falls slowly: by half in five minutes, with periods of ten seconds. */
const SMOOTHING = 0.977

export function smoothedDemand(
  before: number,
  demand: { readonly average: number; readonly deviation: number },
): number {
  const envelope = demand.average + demand.deviation
  return Math.max(envelope, SMOOTHING * before + (1 - SMOOTHING) * envelope)
}
