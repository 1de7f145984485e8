// What really happened to a type, from a watch on the storage itself, and the promises that every client is judged by.
import { expect } from 'vitest'
import type { Kv } from '../../src/kv/kv.ts'
import type { Informer } from '../fakes/informer.ts'

interface Happening {
  readonly type: string
  readonly key: string
  readonly revision: number
}

export class TrueHistory {
  readonly #kv: Kv
  readonly #prefix: string
  readonly happenings: Happening[] = []
  readonly state = new Map<string, number>()
  /** How far it has come: what is compacted beyond it, it would not know. */
  reached = 0

  /** `prefix`: of the type, with a slash at its end. */
  constructor(kv: Kv, prefix: string) {
    this.#kv = kv
    this.#prefix = prefix
  }

  async run(after: number, signal: AbortSignal): Promise<void> {
    this.reached = after
    try {
      for await (const { events, revision } of this.#kv.watch({ prefix: this.#prefix, after }, signal)) {
        for (const event of events) {
          const key = event.key.slice(this.#prefix.length)
          const isNew = event.kind === 'put' && event.createRevision === event.revision
          const type = event.kind === 'delete' ? 'DELETED' : isNew ? 'ADDED' : 'MODIFIED'
          this.happenings.push({ type, key, revision: event.revision })
          if (event.kind === 'put') this.state.set(key, event.revision)
          else this.state.delete(key)
        }
        this.reached = revision
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  /** Each watch was told everything after its start, in order, once, up to the last that it was told. */
  expectGapless(informer: Informer): void {
    for (const { after, events } of informer.sessions) {
      const last = events.at(-1)?.revision ?? after
      expect(events).toEqual(this.happenings.filter(({ revision }) => revision > after && revision <= last))
    }
  }

  /** Its copy is what is there. */
  isKnownTo(informer: Informer): boolean {
    if (informer.copy.size !== this.state.size) return false
    return [...this.state].every(([key, revision]) => informer.copy.get(key) === revision)
  }
}
