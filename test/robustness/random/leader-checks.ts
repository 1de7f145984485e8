// One leader at a time, by the store's own account: the lease of the server's controllers changes hands only where that is due, and of
// clients that elect a leader over the API nobody writes on after another has taken over.
import type { TrueChange } from './truth.ts'

/** A version of the lease of the server's own controllers. */
export interface LeaseVersion {
  readonly revision: number
  readonly holder: string
  readonly transitions: number
  /** By the clock of whoever wrote it. */
  readonly renewedMs: number
  /** When it was seen, by the clock of the suite. */
  readonly seenMs: number
  readonly durationMs: number
}

/** In ascending order of revisions. */
export function checkLeases(versions: readonly LeaseVersion[]): readonly string[] {
  return versions.slice(1).flatMap((version, i) => {
    const before = versions[i]!
    const isTaken = version.holder !== '' && version.holder !== before.holder
    const due = before.transitions + (isTaken ? 1 : 0)
    const problems: string[] = []
    if (version.transitions !== due && version.holder !== before.holder) {
      problems.push(`leader: at ${version.revision} the lease is at term ${version.transitions} and not ${due}`)
    }
    if (isTaken && before.holder !== '' && isEarly(before, version)) {
      problems.push(
        `leader: at ${version.revision} ${version.holder} took over before the lease of ${before.holder} ended`,
      )
    }
    return problems
  })
}

/**
 * The workers of one server know from their supervisor that one has ended, and need not wait. Of two clocks one may have been moved or
 * held up: it was early only where it was by both.
 */
function isEarly(before: LeaseVersion, version: LeaseVersion): boolean {
  if (runOf(before.holder) === runOf(version.holder)) return false
  const passed = Math.max(version.renewedMs - before.renewedMs, version.seenMs - before.seenMs)
  return passed < before.durationMs
}

function runOf(holder: string): string {
  return holder.replace(/_\d+$/, '')
}

/** What leaders wrote into their log: the values are `term/number`. Once another term has begun, none before it writes again. */
export function checkLeaderLog(changes: readonly TrueChange[], key: string): readonly string[] {
  const over = new Set<string>()
  let current: string | undefined
  return changes.flatMap(({ key: changed, object, revision }) => {
    if (changed !== key || object?.value === undefined) return []
    const term = object.value.split('/')[0]!
    if (over.has(term)) return [`leader: ${term} wrote at ${revision}, after ${current} had taken over`]
    if (current !== undefined && current !== term) over.add(current)
    current = term
    return []
  })
}
