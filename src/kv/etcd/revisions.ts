// Assembles complete revisions from watch responses. etcd never splits a revision over two responses, but it splits a large response into
// fragments at any place. So a revision is complete when a higher one begins, or when the last fragment of a response ends. Invariant:
// revisions are taken out complete and in ascending order.
import type { Batch, KvEvent, Revision } from '../kv.ts'
import { type Event, EventType, type WatchResponse } from '../gen/rpc.ts'
import { toKeyValue } from './key-value.ts'

export class RevisionAssembler {
  /** All revisions up to this one are complete. */
  #reached: Revision
  #events: KvEvent[] = []
  /** The number of events whose revisions are complete. The events after them belong to one revision, which may have more events. */
  #whole = 0
  #hasProgress = false
  /** The newest revision with a hidden event. */
  #hiddenRevision: Revision = 0
  readonly #hidden: string | undefined

  /** Events of keys that begin with `hidden` are reported as progress, and not as events. */
  constructor(after: Revision, hidden?: string) {
    this.#reached = after
    this.#hidden = hidden
  }

  get size(): number {
    return this.#whole
  }

  add(response: WatchResponse): void {
    const events = this.#events
    for (const wire of response.events) {
      // Older versions of etcd send events from before the start, and repeat events after a restart.
      if (wire.kv.revision <= this.#reached) continue
      if (this.#hidden !== undefined && wire.kv.key.startsWith(this.#hidden)) this.#hiddenRevision = wire.kv.revision
      else events.push(toEvent(wire))
    }
    let whole = events.length
    if (response.fragment)
      while (whole > this.#whole && events[whole - 1]!.revision === events.at(-1)!.revision) whole--
    if (whole > this.#whole) this.#reached = events[whole - 1]!.revision
    this.#whole = whole
    if (response.fragment) return
    if (response.events.length === 0) this.#progress(response.header.revision)
    else if (this.#hiddenRevision > this.#reached) this.#progress(this.#hiddenRevision)
  }

  take(): Batch | undefined {
    if (this.#whole === 0 && !this.#hasProgress) return undefined
    const events = this.#whole === this.#events.length ? this.#events : this.#events.slice(0, this.#whole)
    this.#events = this.#events.slice(this.#whole)
    this.#whole = 0
    this.#hasProgress = false
    return { events, revision: this.#reached }
  }

  #progress(revision: Revision): void {
    if (revision < this.#reached) return
    this.#reached = revision
    this.#hasProgress = true
  }
}

function toEvent({ type, kv, prevKv }: Event): KvEvent {
  const { key, revision } = kv
  const event: KvEvent =
    type === EventType.DELETE
      ? { kind: 'delete', key, revision }
      : { kind: 'put', key, value: kv.value, revision, createRevision: kv.createRevision }
  return prevKv === undefined ? event : { ...event, previous: toKeyValue(prevKv) }
}
