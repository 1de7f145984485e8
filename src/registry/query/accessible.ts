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
  const at = start.kind === 'after' ? ({ kind: 'exact', revision: start.revision } as const) : start.at
  const reach = of.rights.now()
  const page = await listWithin(of, reach, { ...query, at }, signal)
  const shown = new Map<string, StoredObject>()
  // The client has these objects.
  if (start.kind !== 'state')
    for await (const batch of page.batches) for (const one of batch) shown.set(keyOf(one), one)
  const from: Query = { ...query, start: { kind: 'after', revision: page.revision }, skipUnreadable: true }
  const watch = await watchObjects(of.parts, of.place, from, signal)
  const state = start.kind === 'state' ? page : undefined
  return new AccessibleWatch({ ...of, query, watch, signal, reach, shown, position: page.revision, state })
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
  readonly shown: Map<string, StoredObject>
  readonly position: number
  readonly state: ListPage | undefined
}

class AccessibleWatch implements Watch {
  readonly #of: Begun
  #reach: Reach
  /** The objects that the client has. */
  readonly #shown: Map<string, StoredObject>
  /** All events up to here were looked at. */
  #position: number
  #isChanged = false
  #wake: (() => void) | undefined

  constructor(begun: Begun) {
    this.#of = begun
    this.#reach = begun.reach
    this.#shown = begun.shown
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
    return events.flatMap((event) => {
      const revision = event.type === 'BOOKMARK' ? event.revision : event.object.revision
      if (revision > this.#position) this.#position = revision
      const told = event.type === 'BOOKMARK' ? event : this.#told(event)
      return told === undefined ? [] : [told]
    })
  }

  #told(event: ObjectEvent): ObjectEvent | undefined {
    const { type, object } = event
    const key = keyOf(object)
    if (type === 'DELETED') return this.#shown.delete(key) ? event : undefined
    if (!isWithin(this.#reach, object.namespace, object.name)) return undefined
    const known = this.#shown.has(key) ? 'MODIFIED' : 'ADDED'
    this.#shown.set(key, object)
    return known === type ? event : { ...event, type: known, memo: new EncodingMemo() }
  }

  async *#turnTo(reach: Reach): AsyncGenerator<readonly WatchEvent[]> {
    const before = this.#reach
    this.#reach = reach
    const closed: WatchEvent[] = []
    if (!covers(reach, before)) {
      for (const [key, object] of this.#shown) {
        if (isWithin(reach, object.namespace, object.name)) continue
        this.#shown.delete(key)
        closed.push(this.#eventOf('DELETED', object))
      }
    }
    if (closed.length > 0) yield closed
    if (covers(before, reach)) return
    const page = await listWithin(this.#of, reach, { ...this.#of.query, at: { kind: 'any' } }, this.#of.signal)
    for await (const batch of page.batches) {
      // Newer objects come as events.
      const opened = batch.filter((object) => object.revision <= this.#position && !this.#shown.has(keyOf(object)))
      for (const object of opened) this.#shown.set(keyOf(object), object)
      if (opened.length > 0) yield opened.map((object) => this.#eventOf('ADDED', object))
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

function keyOf({ key, namespace, name }: StoredObject): string {
  return key ?? (namespace === '' ? name : `${namespace}/${name}`)
}
