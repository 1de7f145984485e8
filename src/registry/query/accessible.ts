// Lists and watches of the objects that the caller may read, while rights change. A watch watches all objects, and passes on those within
// the caller's rights. A grant sends its objects as ADDED. A revocation sends its objects as DELETED, in the version that the client saw
// last.
import type { ListQuery, WatchQuery } from '../../api/list-query.ts'
import { EncodingMemo, type ObjectEvent, type StoredObject, type WatchEvent } from '../../api/read.ts'
import { type CallerReach, covers, isWithin, type NameSet, type Reach } from '../../api/reach.ts'
import { ApiError } from '../../api/status.ts'
import { initialEvents } from '../../store/change.ts'
import type { ListPage, Predicate, Watch } from '../../store/store.ts'
import { listObjects, type Place, watchObjects, type Where } from '../read.ts'
import type { RegistryParts } from '../registry.ts'
import { ServedObject } from '../served-store.ts'

/** Matches the objects in reach that meet the condition. The condition does not see other objects. */
export function withinReach(reach: Reach, where: Predicate | undefined): Predicate {
  return {
    key: `${JSON.stringify(textsOf(reach))} ${where?.key ?? ''}`,
    pins: where?.pins ?? [],
    isSlow: where?.isSlow === true,
    turns: where?.turns,
    matches: (served) =>
      isWithin(reach, served.namespace, served.name) && (where === undefined || where.matches(served)),
  }
}

function textsOf({ isAll, names, namespaces }: Reach): unknown {
  const ids = (sets: readonly NameSet[]): readonly string[] => sets.map(({ id }) => id)
  return [
    isAll,
    ids(names),
    Array.from(namespaces, ([name, inside]) => [name, inside === 'all' ? inside : ids(inside)]),
  ]
}

interface Accessible {
  readonly parts: RegistryParts
  readonly place: Place
  readonly rights: CallerReach
}

type Query = WatchQuery & Where

/**
 * Throws `ApiError` `Expired` if rights may have changed since the start revision: the client would not learn which objects it gained or
 * lost.
 */
export async function watchAccessible(of: Accessible, query: Query, signal: AbortSignal): Promise<Watch> {
  const { start } = query
  if (start.kind === 'after' && start.revision < of.rights.changedAt()) {
    throw new ApiError('Expired', `the rights of users have changed since revision ${start.revision}`)
  }
  const reach = of.rights.now()
  // A client that starts after a revision already has the objects of that revision.
  const state = start.kind === 'after' ? undefined : await listWithin(of, reach, { ...query, at: start.at }, signal)
  const position = start.kind === 'after' ? start.revision : state!.revision
  // The condition must not see objects out of reach: its cost or its failures would tell of them.
  const after = { kind: 'after', revision: position } as const
  const from: Query = { ...query, where: undefined, start: after, skipUnreadable: true }
  const watch = await watchObjects(of.parts, of.place, from, signal)
  return new AccessibleWatch({
    ...of,
    query,
    watch,
    signal,
    reach,
    position,
    state: start.kind === 'state' ? state : undefined,
  })
}

function listWithin(
  { parts, place }: Accessible,
  reach: Reach,
  query: Pick<ListQuery, 'labels' | 'fields' | 'shard' | 'at'> & Where,
  signal: AbortSignal,
): Promise<ListPage> {
  const { labels, fields, shard, at, where } = query
  const wanted = { labels, fields, shard, at, limit: undefined, where: withinReach(reach, where), skipUnreadable: true }
  return listObjects(parts, place, wanted, signal)
}

interface Begun extends Accessible {
  readonly query: Query
  readonly watch: Watch
  readonly signal: AbortSignal
  readonly reach: Reach
  readonly position: number
  readonly state: ListPage | undefined
}

class AccessibleWatch implements Watch {
  readonly #of: Begun
  #reach: Reach
  /** All events up to this revision were handled. The client has the objects in reach, as of this revision. */
  #position: number
  #isChanged = false
  #wake: (() => void) | undefined

  constructor(begun: Begun) {
    this.#of = begun
    this.#reach = begun.reach
    this.#position = begun.position
  }

  passedOn(): number | undefined {
    return this.#of.watch.passedOn?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly WatchEvent[]> {
    const { rights, watch, state, query } = this.#of
    const stop = rights.onChange(() => {
      this.#isChanged = true
      this.#wake?.()
    })
    // `onChange` does not report changes from before this call, so the rights are read once more.
    this.#isChanged = true
    const inner = new Steps(watch, () => this.#wake?.())
    try {
      if (state !== undefined)
        for await (const events of initialEvents(state, query.bookmarks)) yield this.#passed(events)
      for (;;) {
        if (this.#isChanged) {
          this.#isChanged = false
          yield* this.#turnTo(rights.now())
          continue
        }
        const step = inner.take()
        if (step === undefined) await new Promise<void>((resolve) => (this.#wake = resolve))
        else if (step.done === true) return
        else {
          const events = await this.#matching(this.#passed(step.value))
          if (events.length > 0) yield events
        }
      }
    } finally {
      stop()
      await inner.end()
    }
  }

  #passed(events: readonly WatchEvent[]): readonly WatchEvent[] {
    return events.filter((event) => {
      const revision = event.type === 'BOOKMARK' ? event.revision : event.object.revision
      if (revision > this.#position) this.#position = revision
      return event.type === 'BOOKMARK' || isWithin(this.#reach, event.object.namespace, event.object.name)
    })
  }

  /** The events of objects that meet the condition, begin to meet it, or no longer meet it. */
  async #matching(events: readonly WatchEvent[]): Promise<readonly WatchEvent[]> {
    const { where } = this.#of.query
    if (where === undefined) return events
    const matching: WatchEvent[] = []
    for (const event of events) {
      if (where.turns?.isOver === true) await where.turns.next()
      const told = event.type === 'BOOKMARK' ? event : this.#toldOf(event, where)
      if (told !== undefined) matching.push(told)
    }
    return matching
  }

  #toldOf(event: ObjectEvent, where: Predicate): ObjectEvent | undefined {
    const { type, object, before } = event
    const isIn = where.matches(object)
    if (type !== 'MODIFIED' || before === undefined) return isIn ? event : undefined
    const wasIn = where.matches(before)
    if (isIn) return wasIn ? event : this.#eventOf('ADDED', object)
    return wasIn ? this.#eventOf('DELETED', before, object.revision) : undefined
  }

  async *#turnTo(reach: Reach): AsyncGenerator<readonly WatchEvent[]> {
    const before = this.#reach
    this.#reach = reach
    yield* this.#difference('DELETED', before, reach)
    yield* this.#difference('ADDED', reach, before)
  }

  /** Events for the objects that are in `reach` but not in `other`. The objects are read again, so that a watch keeps no list of them. */
  async *#difference(type: 'ADDED' | 'DELETED', reach: Reach, other: Reach): AsyncGenerator<readonly WatchEvent[]> {
    if (covers(other, reach)) return
    const at = { kind: 'exact', revision: this.#position } as const
    const page = await listWithin(this.#of, reach, { ...this.#of.query, at }, this.#of.signal)
    for await (const batch of page.batches) {
      const events = batch
        .filter(({ namespace, name }) => !isWithin(other, namespace, name))
        .map((object) => this.#eventOf(type, object))
      if (events.length > 0) yield events
    }
  }

  /** A deleted object has, by default, the revision up to which the client has seen all events. */
  #eventOf(type: 'ADDED' | 'DELETED', object: StoredObject, revision = this.#position): ObjectEvent {
    const told = type === 'ADDED' ? object : this.#last(object, revision)
    return { type, object: told, at: undefined, memo: new EncodingMemo() }
  }

  /** The object as the client has it. */
  #last(object: StoredObject, revision: number): StoredObject {
    const { namespace, name } = object
    const named = { kind: 'object', namespace, name, revision, bytes: object.bytes } as const
    return new ServedObject(
      { ...named, object: () => object.object() },
      object.object(),
      this.#of.place.resource.stored,
    )
  }
}

/** Reads a watch step by step. `take` never waits: a callback tells when the next step is ready. */
class Steps {
  readonly #inner: AsyncIterator<readonly WatchEvent[]>
  readonly #onReady: () => void
  #isUnderWay = false
  #ready: IteratorResult<readonly WatchEvent[], unknown> | undefined
  #failure: { readonly error: unknown } | undefined

  constructor(watch: Watch, onReady: () => void) {
    this.#inner = watch[Symbol.asyncIterator]()
    this.#onReady = onReady
  }

  /** The next step. Undefined: no step is ready yet, and the callback follows. Throws the errors of the watch. */
  take(): IteratorResult<readonly WatchEvent[], unknown> | undefined {
    const ready = this.#ready
    if (this.#failure !== undefined) throw this.#failure.error
    this.#ready = undefined
    if (ready === undefined && !this.#isUnderWay) this.#begin()
    return ready
  }

  #begin(): void {
    this.#isUnderWay = true
    const end = (): void => {
      this.#isUnderWay = false
      this.#onReady()
    }
    this.#inner.next().then(
      (step) => {
        this.#ready = step
        end()
      },
      (error: unknown) => {
        this.#failure = { error }
        end()
      },
    )
  }

  async end(): Promise<void> {
    await this.#inner.return?.()
  }
}
