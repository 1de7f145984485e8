// All checks of one window of a run. Pure: what clients wrote down and what the store says, in; what does not fit, out.
import type { History, Write } from './history.ts'
import { checkLeaderLog, checkLeases, type LeaseVersion } from './leader-checks.ts'
import { checkGets, checkInitialAge, checkLists, checkOrder, timelineOf } from './read-checks.ts'
import type { Truth } from './truth.ts'
import { checkFollows, checkWatches } from './watch-checks.ts'
import { checkWrites } from './write-checks.ts'

export interface Window {
  readonly truth: Truth
  readonly history: History
  /** In doubt since an earlier window. */
  readonly open: readonly Write[]
  /** What had happened, and was known, before the window began. */
  readonly floor: number
  /** From the last one of the window before on. */
  readonly leases: readonly LeaseVersion[]
  /** Of the object that elected clients write. */
  readonly leaderLog: string
}

export interface Findings {
  readonly violations: readonly string[]
  readonly open: readonly Write[]
}

export function checkWindow({ truth, history, open, floor, leases, leaderLog }: Window): Findings {
  const writes = checkWrites(truth, [...open, ...history.writes], floor)
  const lists = [...history.lists, ...history.follows.flatMap(({ before, after }) => [before, after])]
  const watches = [...history.watches, ...history.follows.map(({ watch }) => watch)]
  const timeline = timelineOf(writes.placed, { gets: history.gets, lists }, floor)
  const fresh = writes.placed.filter(({ write }) => !open.includes(write))
  const violations = [
    ...history.surprises,
    ...writes.violations,
    ...checkOrder(fresh, timeline),
    ...checkGets(truth, history.gets, timeline),
    ...checkLists(truth, lists, timeline),
    ...checkInitialAge(watches, timeline),
    ...checkWatches(truth, watches),
    ...checkFollows(history.follows),
    ...checkLeases(leases),
    ...checkLeaderLog(truth.changes, leaderLog),
  ]
  return { violations, open: writes.open }
}
