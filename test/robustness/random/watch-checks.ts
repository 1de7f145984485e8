// The promises of a watch, after the nine of etcd's robustness suite: ordered, unique, atomic, reliable, resumable, bookmarkable, filterable,
// with the initial state, and with the state before (here: what a DELETED carries, and that ADDED is only said of what was not there).
import type { Follow, SeenObject, Told, Watch } from './history.ts'
import { compareStates, watchName } from './read-checks.ts'
import { type DueEvent, isIn, type Truth } from './truth.ts'

export function checkWatches(truth: Truth, watches: readonly Watch[]): readonly string[] {
  return watches.flatMap((watch) => checkWatch(truth, watch).map((problem) => `${problem} (${watchName(watch)})`))
}

function checkWatch(truth: Truth, watch: Watch): readonly string[] {
  const { initial, changes, after } = partsOf(truth, watch)
  const problems = [...checkInitial(truth, watch, initial)]
  // One that was cut within its initial events has promised nothing yet.
  if (after === undefined) return problems
  const events = changes.filter(({ type }) => type !== 'BOOKMARK')
  const last = Math.max(after, ...changes.map(({ revision }) => revision))
  const due = truth.due(watch.scope, after, last)
  problems.push(...checkOrdered(changes), ...checkUnique(events), ...checkBookmarks(changes))
  problems.push(...checkResumed(events, due, after), ...checkComplete(changes, due))
  problems.push(...checkEach(truth, watch, events, due))
  return problems
}

interface Parts {
  readonly initial: readonly Told[]
  readonly changes: readonly Told[]
  /** The changes that are due come after this revision. Undefined where it is not known. */
  readonly after: number | undefined
}

function partsOf(truth: Truth, watch: Watch): Parts {
  const { after, told } = watch
  if (after !== undefined) return { initial: [], changes: told, after: resumedAfter(truth, watch, after) }
  const end = told.findIndex(({ isInitialEnd }) => isInitialEnd)
  if (end < 0) return { initial: told, changes: [], after: undefined }
  return { initial: told.slice(0, end), changes: told.slice(end + 1), after: told[end]!.revision }
}

/**
 * The changes of a revision that changed several objects are told again. Where one of them is in the scope, the watcher has seen all
 * that concerns it, and they may be left out.
 */
function resumedAfter(truth: Truth, { scope, told }: Watch, after: number): number {
  const again = truth.resumedAfter(after)
  const mayLeaveOut = truth.due(scope, again, after).length <= 1
  return mayLeaveOut && told.every(({ type, revision }) => type === 'BOOKMARK' || revision !== after) ? after : again
}

function checkInitial(truth: Truth, { scope, told }: Watch, initial: readonly Told[]): readonly string[] {
  const end = told.find(({ isInitialEnd }) => isInitialEnd)
  const other = initial.find(({ type }) => type !== 'ADDED')
  if (other !== undefined) return [`initial state: ${other.type} at ${other.revision} within it`]
  if (end === undefined) return []
  const items = initial.map(({ object }) => object!)
  return compareStates(truth.state(scope, end.revision), items).map(
    (problem) => `initial state at ${end.revision}: ${problem}`,
  )
}

function checkOrdered(changes: readonly Told[]): readonly string[] {
  return changes.flatMap(({ revision }, i) => {
    const before = changes[i - 1]?.revision ?? 0
    return revision < before ? [`ordered: ${revision} was told after ${before}`] : []
  })
}

function checkUnique(events: readonly Told[]): readonly string[] {
  const seen = new Set<string>()
  return events.flatMap((told) => {
    const name = nameOf(told)
    if (seen.has(name)) return [`unique: ${name} was told twice`]
    seen.add(name)
    return []
  })
}

function checkBookmarks(changes: readonly Told[]): readonly string[] {
  let reached = 0
  return changes.flatMap(({ type, revision }) => {
    if (type === 'BOOKMARK') reached = Math.max(reached, revision)
    return type !== 'BOOKMARK' && revision <= reached
      ? [`bookmarkable: ${revision} was told after a bookmark of ${reached}`]
      : []
  })
}

function checkResumed(events: readonly Told[], due: readonly DueEvent[], after: number): readonly string[] {
  const [first] = events
  if (first === undefined) return []
  const missed = due.find(({ revision }) => revision < first.revision)
  if (first.revision <= after) return [`resumable: began with ${first.revision}, which is not after ${after}`]
  if (missed === undefined) return []
  return [`resumable: began with ${first.revision}, and ${missed.revision} comes next after ${after}`]
}

/** Whatever is due up to the last that was told, was told; of the last revision itself a cut may have taken a part. */
function checkComplete(changes: readonly Told[], due: readonly DueEvent[]): readonly string[] {
  const told = new Set(changes.filter(({ type }) => type !== 'BOOKMARK').map((one) => nameOf(one)))
  const revisions = new Set(changes.filter(({ type }) => type !== 'BOOKMARK').map(({ revision }) => revision))
  const first = Math.min(...revisions)
  const last = changes.at(-1)
  return due.flatMap((one) => {
    if (told.has(`${one.key}@${one.revision}`)) return []
    const mayBeCut = one.revision === last?.revision && last.type !== 'BOOKMARK'
    if (mayBeCut) return []
    if (revisions.has(one.revision)) return [`atomic: of revision ${one.revision} ${one.key} was left out`]
    // What is missing before the first is told by `checkResumed`.
    return one.revision < first && revisions.size > 0
      ? []
      : [`reliable: ${one.type} ${one.key}@${one.revision} was not told, and ${last?.revision} was`]
  })
}

function checkEach(
  truth: Truth,
  { scope }: Watch,
  events: readonly Told[],
  due: readonly DueEvent[],
): readonly string[] {
  const byName = new Map(due.map((one) => [`${one.key}@${one.revision}`, one]))
  return events.flatMap((told) => {
    const wanted = byName.get(nameOf(told))
    if (wanted === undefined) {
      const happened = truth.change(told.object!.key, told.revision)
      if (happened === undefined) return [`reliable: ${told.type} ${nameOf(told)} was told and never happened`]
      return [`filterable: ${told.type} ${nameOf(told)} is not in the scope`]
    }
    if (told.type !== wanted.type) {
      const property = scope.color === undefined ? 'state before' : 'filterable'
      return [`${property}: ${nameOf(told)} was told as ${told.type} and is ${wanted.type}`]
    }
    if (told.object!.value === wanted.value) return []
    const property = told.type === 'DELETED' ? 'state before' : 'content of an event'
    return [`${property}: ${told.type} ${nameOf(told)} carried ${told.object!.value} and not ${wanted.value}`]
  })
}

/** A list with all that a watch told from there is the later list. */
export function checkFollows(follows: readonly Follow[]): readonly string[] {
  return follows.flatMap(({ before, watch, after }) => {
    const copy = new Map<string, SeenObject>(before.items.map((item) => [item.key, item]))
    for (const { type, revision, object } of watch.told) {
      if (object === undefined || revision > after.revision) continue
      if (type === 'DELETED') copy.delete(object.key)
      else if (isIn(watch.scope, object)) copy.set(object.key, object)
    }
    return compareStates(copy, after.items).map(
      (problem) => `list and watch: from ${before.revision} to ${after.revision}: ${problem} (${watchName(watch)})`,
    )
  })
}

function nameOf({ revision, object }: Told): string {
  return `${object?.key}@${revision}`
}
