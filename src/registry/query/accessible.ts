// Lists and watches of the objects that the caller may read, while rights change. A watch watches all objects, and passes on those within the
// caller's rights. A grant sends its objects as ADDED. A revocation sends its objects as DELETED, in the version that the client saw last.
import type { ListQuery, WatchQuery } from '../../api/list-query.ts'
import { EncodingMemo, type ObjectEvent, type StoredObject, type WatchEvent } from '../../api/read.ts'
import { type CallerReach, covers, isWithin, type Reach } from '../../api/reach.ts'
import { ApiError } from '../../api/status.ts'
import { initialEvents } from '../../store/change.ts'
import type { ListPage, Predicate, Watch } from '../../store/store.ts'
import { listObjects, type Place, watchObjects, type Where } from '../read.ts'
import type { RegistryParts } from '../registry.ts'
import { ServedObject } from '../served-store.ts'

/** The objects in reach that match. The condition does not see the others. */
export function withinReach(reach: Reach, where: Predicate | undefined): Predicate {
  return {
    key: `${JSON.stringify(textsOf(reach))} ${where?.key ?? ''}`,
    pins: where?.pins ?? [],
    isSlow: where?.isSlow === true,
    matches: (served) =>
      isWithin(reach, served.namespace, served.name) && (where === undefined || where.matches(served)),
  }
}

function textsOf({ isAll, names, namespaces }: Reach): unknown {
  return [
    isAll,
    [...names],
    Array.from(namespaces, ([name, inside]) => [name, inside === 'all' ? inside : [...inside]]),
  ]
}

interface Accessible {
  readonly parts: RegistryParts
  readonly place: Place
  readonly rights: CallerReach
}

type Query = WatchQuery & Where

/**
 * Throws `ApiError` `Expired` if rights may have changed since the revision of the start: the client would miss what that has opened or
 * closed.
 */
export async function watchAccessible(of: Accessible, query: Query, signal: AbortSignal): Promise<Watch> {
  const { start } = query
  if (start.kind === 'after' && start.revision < of.rights.changedAt()) {
    throw new ApiError('Expired', `the rights of users have changed since revision ${start.revision}`)
  }
  const reach = of.rights.now()
  // The client has the objects of the revision after which it starts.
  const state = start.kind === 'after' ? undefined : await listWithin(of, reach, { ...query, at: start.at }, signal)
  const position = start.kind === 'after' ? start.revision : state!.revision
  const from: Query = { ...query, start: { kind: 'after', revision: position }, skipUnreadable: true }
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
  /** All events up to here were handled: the client has the objects of this revision that are in reach. */
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
    // A change before this is not sent.
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
          const events = this.#passed(step.value)
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

  async *#turnTo(reach: Reach): AsyncGenerator<readonly WatchEvent[]> {
    const before = this.#reach
    this.#reach = reach
    yield* this.#difference('DELETED', before, reach)
    yield* this.#difference('ADDED', reach, before)
  }

  /** The objects in one reach and not in the other. They are read again, so that a watch keeps no list of what the client has. */
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

  #eventOf(type: 'ADDED' | 'DELETED', object: StoredObject): ObjectEvent {
    return { type, object: type === 'ADDED' ? object : this.#last(object), at: undefined, memo: new EncodingMemo() }
  }

  /** The object as the client has it, with the revision up to which the client has seen everything. */
  #last(object: StoredObject): StoredObject {
    const { namespace, name } = object
    const named = { kind: 'object', namespace, name, revision: this.#position, bytes: object.bytes } as const
    return new ServedObject(
      { ...named, object: () => object.object() },
      object.object(),
      this.#of.place.resource.stored,
    )
  }
}

/** The steps of a watch, without a promise that waits for each of them. */
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

  /** Undefined: none is ready, and the callback follows. Throws the errors of the watch. */
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
