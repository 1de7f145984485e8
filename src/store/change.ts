// One change of one object, and the event that it is for a selection: what enters the selection is ADDED, what leaves it is
// DELETED. Events and their encodings are made once for all watchers.
import { EncodingMemo, type ObjectEvent, type StoredObject, type WatchEvent } from '../api/read.ts'
import type { Matcher } from './selection.ts'
import type { ListPage, StoredItem, UnreadableObject } from './store.ts'
import { atRevision } from './stored-object.ts'

export class Change {
  readonly revision: number
  readonly #at = performance.now()
  /** Undefined: it was removed. */
  readonly current: StoredObject | undefined
  /** Undefined: it was created, or the previous version could not be read. */
  readonly previous: StoredObject | undefined
  /** Set where there is nothing to show: what was stored, or what was removed, cannot be read (W-355). */
  readonly unreadable: UnreadableObject | undefined
  #added: ObjectEvent | undefined
  #modified: ObjectEvent | undefined
  #deleted: ObjectEvent | undefined
  /** The event for the last selection: many watchers share one. */
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

  /** Lets the records of events go, and with them their encodings: those who still ask get new ones. */
  forgetEvents(): void {
    this.#added = this.#modified = this.#deleted = this.#lastEvent = this.#lastKey = undefined
  }

  #eventFor(matcher: Matcher | undefined): ObjectEvent | undefined {
    const { current, previous } = this
    const isIn = current !== undefined && (matcher === undefined || matcher.matches(current))
    const wasIn = previous !== undefined && (matcher === undefined || matcher.matches(previous))
    const at = this.#at
    if (isIn) {
      return wasIn ? (this.#modified ??= event('MODIFIED', current, at)) : (this.#added ??= event('ADDED', current, at))
    }
    return wasIn ? (this.#deleted ??= event('DELETED', atRevision(previous, this.revision), at)) : undefined
  }
}

function event(type: ObjectEvent['type'], object: StoredObject, at: number | undefined): ObjectEvent {
  return { type, object, at, memo: new EncodingMemo() }
}

/** The state that a watch begins with, and the bookmark that ends it. */
export async function* initialEvents(
  { revision, batches }: Pick<ListPage, 'revision' | 'batches'>,
  bookmarks: boolean,
): AsyncGenerator<readonly WatchEvent[]> {
  for await (const batch of batches) yield batch.map((object) => event('ADDED', object, undefined))
  if (bookmarks) yield [{ type: 'BOOKMARK', revision, initialEventsEnd: true }]
}
