// A client that keeps a copy of a type by list and watch, as controllers do, and writes down what it was told: what the copy
// and the record must be is then checked against the storage's own record.
import type { WatchEvent } from '../../src/api/read.ts'
import { ApiError } from '../../src/api/status.ts'
import type { Store, StoredResource } from '../../src/store/store.ts'

/** One watch from its start to its end. */
export interface Session {
  /** The revision it began after. */
  readonly after: number
  readonly events: { readonly type: string; readonly key: string; readonly revision: number }[]
}

export class Informer {
  readonly #store: Store
  readonly #resource: StoredResource
  readonly sessions: Session[] = []
  /** The revision of each object that it believes to be there. */
  readonly copy = new Map<string, number>()
  lists = 0

  constructor(store: Store, resource: StoredResource) {
    this.#store = store
    this.#resource = resource
  }

  /** Resolves when the signal fires. Waits a little after errors, as clients do. */
  async run(signal: AbortSignal): Promise<void> {
    let after: number | undefined
    while (!signal.aborted) {
      try {
        after ??= await this.#list(signal)
        after = await this.#watch(after, signal)
      } catch (error) {
        if (signal.aborted) return
        if (error instanceof ApiError && error.reason === 'Expired') after = undefined
        else await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
  }

  async #list(signal: AbortSignal): Promise<number> {
    const page = await this.#store.list({ resource: this.#resource, at: { kind: 'latest' } }, signal)
    this.lists++
    this.copy.clear()
    for await (const batch of page.batches) {
      for (const { namespace, name, revision } of batch) this.copy.set(`${namespace}/${name}`, revision)
    }
    return page.revision
  }

  /** Resolves to where to go on. */
  async #watch(after: number, signal: AbortSignal): Promise<number> {
    const start = { kind: 'after', revision: after } as const
    const watch = await this.#store.watch({ resource: this.#resource, start, bookmarks: true }, signal)
    const session: Session = { after, events: [] }
    this.sessions.push(session)
    let reached = after
    try {
      for await (const events of watch) {
        for (const event of events) {
          reached = event.type === 'BOOKMARK' ? event.revision : event.object.revision
          this.#take(event, session)
        }
      }
    } catch (error) {
      if (signal.aborted || (error instanceof ApiError && error.reason === 'Expired')) throw error
    }
    return reached
  }

  #take(event: WatchEvent, session: Session): void {
    if (event.type === 'BOOKMARK') return
    const { type, object } = event
    const key = `${object.namespace}/${object.name}`
    session.events.push({ type, key, revision: object.revision })
    if (type === 'DELETED') this.copy.delete(key)
    else this.copy.set(key, object.revision)
  }
}
