// What really happened in the store, by its own account: every version of every object, in the order of revisions. The reference that
// all that clients were told is held against. What lies before a window is forgotten, so that an hour of it fits into memory.
import type { Scope, SeenObject } from './history.ts'

/** One write to the store. `object` undefined: a deletion. */
export interface TrueEvent {
  readonly revision: number
  readonly key: string
  readonly object: SeenObject | undefined
}

/** An event with what was there before. */
export interface TrueChange extends TrueEvent {
  readonly before: SeenObject | undefined
}

/** What a watch of a scope is to tell. */
export interface DueEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly key: string
  readonly revision: number
  readonly value: string | undefined
}

export class Truth {
  /** In ascending order of revisions. */
  #changes: TrueChange[] = []
  readonly #versions = new Map<string, TrueEvent[]>()
  #reached = 0

  /** The newest revision that is known. */
  get reached(): number {
    return this.#reached
  }

  get changes(): readonly TrueChange[] {
    return this.#changes
  }

  add(event: TrueEvent): void {
    const versions = this.#versions.get(event.key) ?? []
    this.#versions.set(event.key, versions)
    this.#changes.push({ ...event, before: versions.at(-1)?.object })
    versions.push(event)
    this.#reached = Math.max(this.#reached, event.revision)
  }

  reach(revision: number): void {
    this.#reached = Math.max(this.#reached, revision)
  }

  at(key: string, revision: number): SeenObject | undefined {
    const versions = this.#versions.get(key) ?? []
    return versions[countUpTo(versions, revision) - 1]?.object
  }

  /** The first that happened to the key after that revision. */
  next(key: string, revision: number): TrueEvent | undefined {
    const versions = this.#versions.get(key) ?? []
    return versions[countUpTo(versions, revision)]
  }

  /** The change of exactly this key at exactly this revision. */
  change(key: string, revision: number): TrueChange | undefined {
    const first = countUpTo(this.#changes, revision - 1)
    for (let i = first; this.#changes[i]?.revision === revision; i++) {
      if (this.#changes[i]!.key === key) return this.#changes[i]
    }
    return undefined
  }

  state(scope: Scope, revision: number): ReadonlyMap<string, SeenObject> {
    const state = new Map<string, SeenObject>()
    for (const key of this.#versions.keys()) {
      const object = this.at(key, revision)
      if (object !== undefined && isIn(scope, object)) state.set(key, object)
    }
    return state
  }

  due(scope: Scope, after: number, upTo: number): readonly DueEvent[] {
    const due: DueEvent[] = []
    for (let i = countUpTo(this.#changes, after); i < this.#changes.length; i++) {
      const change = this.#changes[i]!
      if (change.revision > upTo) break
      const event = dueOf(scope, change)
      if (event !== undefined) due.push(event)
    }
    return due
  }

  /** After which revision a watch tells changes that begins at this one: a revision with several changes is told again (D35). */
  resumedAfter(revision: number): number {
    const changes = countUpTo(this.#changes, revision) - countUpTo(this.#changes, revision - 1)
    return changes > 1 ? revision - 1 : revision
  }

  /** No check asks for anything before that revision after this. */
  forgetBefore(revision: number): void {
    this.#changes = this.#changes.slice(countUpTo(this.#changes, revision - 1))
    for (const [key, versions] of this.#versions) {
      const kept = versions.slice(Math.max(0, countUpTo(versions, revision) - 1))
      const [first] = kept
      if (kept.length === 1 && first?.object === undefined) this.#versions.delete(key)
      else this.#versions.set(key, kept)
    }
  }
}

export function isIn({ namespace, color }: Scope, { key, color: own }: SeenObject): boolean {
  return key.startsWith(`${namespace}/`) && (color === undefined || color === own)
}

/** One that leaves the scope is told as deleted, with its last state within. */
function dueOf(scope: Scope, { key, revision, object, before }: TrueChange): DueEvent | undefined {
  const [was, is] = [before, object].map((one) => (one !== undefined && isIn(scope, one) ? one : undefined))
  if (is !== undefined) return { type: was === undefined ? 'ADDED' : 'MODIFIED', key, revision, value: is.value }
  return was === undefined ? undefined : { type: 'DELETED', key, revision, value: was.value }
}

/** How many of them, in ascending order, are not after that revision. */
function countUpTo(events: readonly { readonly revision: number }[], revision: number): number {
  let [low, high] = [0, events.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (events[middle]!.revision <= revision) low = middle + 1
    else high = middle
  }
  return low
}
