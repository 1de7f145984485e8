// One change of one object, and its event for a selection: an object that enters the selection is ADDED, an object that leaves it is
// DELETED. Events and their encodings are made once for all watchers.
import { EncodingMemo, type ObjectEvent, type StoredObject, type WatchEvent } from '../api/read.ts'
import type { Matcher } from './selection.ts'
import type { ListPage, StoredItem, UnreadableObject } from './store.ts'
import { atRevision } from './stored-object.ts'

export class Change {
  readonly revision: number
  readonly #at = performance.now()
  /** Undefined: the object was removed, or cannot be read. */
  readonly current: StoredObject | undefined
  /** Undefined: the object was created, or the previous version could not be read. */
  readonly previous: StoredObject | undefined
  /** Set if the stored or removed object cannot be read, so that there is nothing to show (W-355). */
  readonly unreadable: UnreadableObject | undefined
  #added: ObjectEvent | undefined
  #modified: ObjectEvent | undefined
  #deleted: ObjectEvent | undefined
  /** The last selection and its event: many watchers share a selection. */
  #lastKey: string | undefined
  #lastEvent: ObjectEvent | undefined

  constructor(revision: number, current: StoredItem | undefined, previous: StoredItem | undefined) {
    this.revision = revision
    this.current = current?.kind === 'object' ? current : undefined
    this.previous = previous?.kind === 'object' ? previous : undefined
    const shown = current ?? previous
    this.unreadable = shown?.kind === 'unreadable' ? shown : undefined
  }

  /** Undefined: the change is not visible with this selection. */
  eventFor(matcher: Matcher | undefined): ObjectEvent | undefined {
    if (matcher === undefined) return this.#eventFor(undefined)
    if (matcher.key !== this.#lastKey) {
      this.#lastEvent = this.#eventFor(matcher)
      this.#lastKey = matcher.key
    }
    return this.#lastEvent
  }

  /** Drops the records of events with their encodings. Later requests get new events. */
  forgetEvents(): void {
    this.#added = this.#modified = this.#deleted = this.#lastEvent = this.#lastKey = undefined
  }

  #eventFor(matcher: Matcher | undefined): ObjectEvent | undefined {
    const { current, previous } = this
    const isIn = current !== undefined && (matcher === undefined || matcher.matches(current))
    const wasIn = previous !== undefined && (matcher === undefined || matcher.matches(previous))
    const at = this.#at
    if (isIn) {
      return wasIn
        ? (this.#modified ??= { ...event('MODIFIED', current, at), before: previous })
        : (this.#added ??= event('ADDED', current, at))
    }
    return wasIn ? (this.#deleted ??= event('DELETED', atRevision(previous, this.revision), at)) : undefined
  }
}

function event(type: ObjectEvent['type'], object: StoredObject, at: number | undefined): ObjectEvent {
  return { type, object, at, memo: new EncodingMemo() }
}

/** The first state of a watch, and the bookmark at its end. */
export async function* initialEvents(
  { revision, batches }: Pick<ListPage, 'revision' | 'batches'>,
  bookmarks: boolean,
): AsyncGenerator<readonly WatchEvent[]> {
  for await (const batch of batches) yield batch.map((object) => event('ADDED', object, undefined))
  if (bookmarks) yield [{ type: 'BOOKMARK', revision, initialEventsEnd: true }]
}
