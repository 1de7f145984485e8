// The levels of the API that can be served. A declaration that does not hold for all levels has a span of levels. The tables of the
// served level are made once, at the start.
import { getOrInsert } from '../lib/map-entries.ts'

/** The oldest level comes first. */
export const API_LEVELS = ['1.36', '1.37'] as const

export type ApiLevel = (typeof API_LEVELS)[number]

/** The newest level. A declaration that ended at an older level is not in it. Every other declaration is. */
export const NEWEST_LEVEL: ApiLevel = '1.37'

/** The level of a server whose operator chooses none. */
export const DEFAULT_LEVEL: ApiLevel = '1.37'

/** The first and the last level that have a declaration. Absent: no bound. */
export interface LevelSpan {
  readonly since?: ApiLevel
  readonly until?: ApiLevel
}

export function isAtLevel(level: ApiLevel, { since, until }: LevelSpan): boolean {
  const place = API_LEVELS.indexOf(level)
  return (
    (since === undefined || API_LEVELS.indexOf(since) <= place) &&
    (until === undefined || place <= API_LEVELS.indexOf(until))
  )
}

/** Whether the level is the given release or a later one. The release may be later than all known levels. */
export function isSinceRelease(level: ApiLevel, release: string): boolean {
  const minor = (text: string): number => Number(text.split('.')[1])
  return minor(level) >= minor(release)
}

/** Returns a function that makes the value for each level at its first use. */
export function byLevel<T>(make: (level: ApiLevel) => T): (level?: ApiLevel) => T {
  const made = new Map<ApiLevel, T>()
  return (level = DEFAULT_LEVEL) => getOrInsert(made, level, make)
}
