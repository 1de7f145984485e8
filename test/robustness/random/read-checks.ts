// Strict serializability, and what lists and gets may answer. Revisions are the order of all writes, so nothing has to be searched:
// whatever ended before another began must not be behind it in that order.
import type { Get, List, SeenObject, Watch } from './history.ts'
import type { Truth } from './truth.ts'
import { type PlacedWrite, say } from './write-checks.ts'

/** Something that is known to have seen or made a revision between its start and its end. */
interface Moment {
  readonly start: number
  readonly end: number
  readonly revision: number
}

/** For each moment of time: the least that is to be seen from then on, and the most that can have been seen until then. */
export class Timeline {
  readonly #floor: number
  readonly #ended: readonly Moment[]
  readonly #highest: readonly number[]
  readonly #begun: readonly Moment[]
  readonly #lowest: readonly number[]

  /** `floor`: what had happened before all of them. */
  constructor(seen: readonly Moment[], made: readonly Moment[], floor: number) {
    this.#floor = floor
    this.#ended = [...seen, ...made].sort((a, b) => a.end - b.end)
    let highest = floor
    this.#highest = this.#ended.map(({ revision }) => (highest = Math.max(highest, revision)))
    this.#begun = made.toSorted((a, b) => b.start - a.start)
    let lowest = Number.POSITIVE_INFINITY
    this.#lowest = this.#begun.map(({ revision }) => (lowest = Math.min(lowest, revision)))
  }

  /** The highest revision that was known before that time. */
  floorAt(time: number): number {
    return this.#highest[countBefore(this.#ended, ({ end }) => end < time) - 1] ?? this.#floor
  }

  /** Below the lowest revision that was asked for only after that time. */
  ceilingAt(time: number): number {
    const count = countBefore(this.#begun, ({ start }) => start > time)
    return (this.#lowest[count - 1] ?? Number.POSITIVE_INFINITY) - 1
  }
}

function countBefore(moments: readonly Moment[], isBefore: (moment: Moment) => boolean): number {
  let [low, high] = [0, moments.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isBefore(moments[middle]!)) low = middle + 1
    else high = middle
  }
  return low
}

interface Reads {
  readonly gets: readonly Get[]
  readonly lists: readonly List[]
}

/** Lists of any age are no evidence of what is newest; what they show has happened all the same. */
export function timelineOf(placed: readonly PlacedWrite[], { gets, lists }: Reads, floor: number): Timeline {
  const made = placed.map(({ write, revision }) => {
    const isKnown = write.outcome.kind === 'done'
    return { start: write.start, end: isKnown ? write.end : Number.POSITIVE_INFINITY, revision }
  })
  const seen: Moment[] = lists.map(({ start, end, revision }) => ({ start, end, revision }))
  for (const { start, end, found } of gets) if (found !== undefined) seen.push({ start, end, revision: found.revision })
  return new Timeline(seen, made, floor)
}

/** A write that began after something had ended is behind it. */
export function checkOrder(placed: readonly PlacedWrite[], timeline: Timeline): readonly string[] {
  return placed.flatMap(({ write, revision }) => {
    const floor = timeline.floorAt(write.start)
    if (revision > floor) return []
    return [`order: ${say(write)} is at ${revision}, and ${floor} was known before it began`]
  })
}

export function checkGets(truth: Truth, gets: readonly Get[], timeline: Timeline): readonly string[] {
  return gets.flatMap((get) => {
    const floor = timeline.floorAt(get.start)
    const ceiling = timeline.ceilingAt(get.end)
    return (get.found === undefined ? checkAbsent : checkFound)(truth, get, { floor, ceiling }).map(
      (problem) => `${problem} (${get.client}: get ${get.key})`,
    )
  })
}

interface Bounds {
  readonly floor: number
  readonly ceiling: number
}

function checkAbsent(truth: Truth, { key }: Get, { floor, ceiling }: Bounds): readonly string[] {
  if (truth.at(key, floor) === undefined) return []
  for (let next = truth.next(key, floor); next !== undefined && next.revision <= ceiling; ) {
    if (next.object === undefined) return []
    next = truth.next(key, next.revision)
  }
  return [`stale get: nothing was found, and since ${floor} it was there all the time`]
}

function checkFound(truth: Truth, { key, found }: Get, { floor, ceiling }: Bounds): readonly string[] {
  const { revision } = found!
  const stored = truth.at(key, revision)
  if (stored?.revision !== revision || !isSame(stored, found!)) {
    return [`content of a get: ${show(found)} is not what was stored, ${show(stored)}`]
  }
  if (revision > ceiling) return [`future get: ${revision} was asked for only after the answer`]
  const next = truth.next(key, revision)
  if (next !== undefined && next.revision <= floor) {
    return [`stale get: ${revision} was replaced at ${next.revision}, and ${floor} was known before`]
  }
  return []
}

export function checkLists(truth: Truth, lists: readonly List[], timeline: Timeline): readonly string[] {
  return lists.flatMap((list) =>
    [...checkAge(list, timeline), ...checkContent(truth, list)].map(
      (problem) =>
        `${problem} (${list.client}: list ${list.scope.namespace} ${list.scope.color ?? ''} ${list.at.kind})`,
    ),
  )
}

function checkAge({ at, start, end, revision, pages = [] }: List, timeline: Timeline): readonly string[] {
  const problems: string[] = []
  const floor = timeline.floorAt(start)
  if (at.kind === 'latest' && revision < floor)
    problems.push(`stale list: at ${revision}, and ${floor} was known before`)
  if (revision > timeline.ceilingAt(end)) problems.push(`future list: at ${revision}, asked for only after the answer`)
  if (at.kind === 'notOlderThan' && revision < at.revision)
    problems.push(`too old list: ${revision} for ${at.revision}`)
  if (at.kind === 'exact' && revision !== at.revision) problems.push(`inexact list: ${revision} for ${at.revision}`)
  const other = pages.find((page) => page !== revision)
  if (other !== undefined) problems.push(`pages: one is at ${other} and another at ${revision}`)
  return problems
}

function checkContent(truth: Truth, { scope, revision, items }: List): readonly string[] {
  return compareStates(truth.state(scope, revision), items).map(
    (problem) => `content of a list at ${revision}: ${problem}`,
  )
}

/** What is different, in words. */
export function compareStates(
  wanted: ReadonlyMap<string, SeenObject>,
  items: readonly SeenObject[],
): readonly string[] {
  const problems: string[] = []
  const given = new Set<string>()
  for (const item of items) {
    const stored = wanted.get(item.key)
    if (given.has(item.key)) problems.push(`${item.key} is there twice`)
    else if (stored === undefined) problems.push(`${show(item)} should not be there`)
    else if (!isSame(stored, item)) problems.push(`${show(item)} should be ${show(stored)}`)
    given.add(item.key)
  }
  for (const [key, stored] of wanted) if (!given.has(key)) problems.push(`${show(stored)} is missing`)
  return problems
}

/** A watch that begins with the newest state begins with one that is not older than what was known before. */
export function checkInitialAge(watches: readonly Watch[], timeline: Timeline): readonly string[] {
  return watches.flatMap((watch) => {
    const end = watch.told.find(({ isInitialEnd }) => isInitialEnd)
    const floor = timeline.floorAt(watch.start)
    if (watch.after !== undefined || end === undefined || end.revision >= floor) return []
    return [`initial state: at ${end.revision}, and ${floor} was known before (${watchName(watch)})`]
  })
}

export function watchName({ client, scope, after }: Watch): string {
  return `${client}: watch ${scope.namespace} ${scope.color ?? ''} after ${after ?? 'the newest state'}`
}

function isSame(one: SeenObject, other: SeenObject): boolean {
  return (
    one.revision === other.revision && one.value === other.value && one.color === other.color && one.uid === other.uid
  )
}

function show(object: SeenObject | undefined): string {
  return object === undefined ? 'nothing' : `${object.key}@${object.revision} = ${object.value}`
}
