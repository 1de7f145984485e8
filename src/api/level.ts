// The levels of the API that can be served. What a level has and another does not says so where it is declared, by a span of levels;
// the tables of the level that is served are made once, at the start.

/** The oldest first. */
export const API_LEVELS = ['1.36', '1.37'] as const

export type ApiLevel = (typeof API_LEVELS)[number]

/** It has everything that is still served; only what is gone is in the older ones. */
export const NEWEST_LEVEL: ApiLevel = '1.37'

/** Where no level is asked for. */
export const DEFAULT_LEVEL: ApiLevel = '1.37'

/** The first and the last level that something is there at; absent: there is no such bound. */
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

/** Whether a level is that release or a later one. The release may be later than all known levels. */
export function isSinceRelease(level: ApiLevel, release: string): boolean {
  const minor = (text: string): number => Number(text.split('.')[1])
  return minor(level) >= minor(release)
}

/** One value for each level, each made when it is first asked for. */
export function byLevel<T>(make: (level: ApiLevel) => T): (level?: ApiLevel) => T {
  const made = new Map<ApiLevel, T>()
  return (level = DEFAULT_LEVEL) => {
    const known = made.get(level)
    if (known !== undefined) return known
    const value = make(level)
    made.set(level, value)
    return value
  }
}
