// What the clients of a run write down: every request with its answer, every watch with all that it told. All times are of one
// monotonic clock, that of the process which runs the clients, so that "ended before the other began" can be relied on.

/** An object as it was answered. Every value is written once, so that it can be traced to the request that wrote it. */
export interface SeenObject {
  /** `namespace/name`. */
  readonly key: string
  readonly revision: number
  /** Undefined: nobody of this suite wrote it. */
  readonly value: string | undefined
  readonly color: string | undefined
  readonly uid: string
}

export interface Span {
  readonly client: string
  readonly start: number
  readonly end: number
}

export type WriteOutcome =
  /** A delete tells the object that it removed and no revision. */
  | { readonly kind: 'done'; readonly revision?: number; readonly uid: string }
  /** It says that nothing was written. */
  | { readonly kind: 'refused'; readonly status: number }
  /** No answer, or one that leaves it open. */
  | { readonly kind: 'unknown'; readonly why: string }

export interface Write extends Span {
  readonly verb: 'create' | 'update' | 'patch' | 'delete' | 'together'
  readonly key: string
  /** Of all but deletes. */
  readonly value?: string
  /** The revision that the object was to have. */
  readonly expected?: number
  readonly outcome: WriteOutcome
  /** The transaction that it is part of: all of its writes are there in one revision, or none. */
  readonly transaction?: string
}

export interface Scope {
  readonly namespace: string
  /** The label that objects must have; absent: all. */
  readonly color?: string
}

export type ReadAt =
  | { readonly kind: 'latest' }
  | { readonly kind: 'any' }
  | { readonly kind: 'notOlderThan'; readonly revision: number }
  | { readonly kind: 'exact'; readonly revision: number }

/** Of what was answered; a read that failed promised nothing. */
export interface Get extends Span {
  readonly key: string
  readonly found: SeenObject | undefined
}

export interface List extends Span {
  readonly scope: Scope
  readonly at: ReadAt
  readonly revision: number
  /** Of each page, where it came in several. */
  readonly pages?: readonly number[]
  readonly items: readonly SeenObject[]
}

export interface Told {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'
  readonly revision: number
  readonly object?: SeenObject
  /** The bookmark at the end of the initial events. */
  readonly isInitialEnd?: boolean
}

/** One watch from its request to its end, whatever ended it. */
export interface Watch extends Span {
  readonly scope: Scope
  /** The revision that it was to begin behind; undefined: it asked for the newest state first. */
  readonly after: number | undefined
  readonly told: readonly Told[]
}

/** A list, a watch from there, and a list at the last revision that the watch told. */
export interface Follow {
  readonly before: List
  readonly watch: Watch
  readonly after: List
}

export interface History {
  readonly writes: readonly Write[]
  readonly gets: readonly Get[]
  readonly lists: readonly List[]
  readonly watches: readonly Watch[]
  readonly follows: readonly Follow[]
  /** What was answered that no client should ever be: one line each. */
  readonly surprises: readonly string[]
}

export class Recorder {
  #now = emptyHistory()

  add<Kind extends keyof History>(kind: Kind, entry: History[Kind][number]): void {
    const entries = this.#now[kind] as History[Kind][number][]
    entries.push(entry)
  }

  /** All since the last time. */
  take(): History {
    const taken = this.#now
    this.#now = emptyHistory()
    return taken
  }
}

export function emptyHistory(): History {
  return { writes: [], gets: [], lists: [], watches: [], follows: [], surprises: [] }
}
