// A group of writes, decided one after the other before any of it is written: each is checked against what is stored plus the
// earlier writes of the group. A commit writes all of it or nothing.
import { ABSENT, type KeyValue, type Revision } from '../kv.ts'
import { itemAt } from './range-read.ts'
import type { KeyState } from './records.ts'
import type { Change, Tables, TableWriter } from './tables.ts'

export type DraftSource = Pick<Tables, 'stateOf' | 'entryOf'>

/** A key at some point of the draft, with its value where the draft has put it. */
interface DraftState extends KeyState {
  readonly value?: Buffer
}

interface Put {
  readonly key: string
  readonly value: Buffer
  readonly deadlineMs: number
}

export class Draft {
  readonly #tables: DraftSource
  readonly #touched = new Map<string, DraftState | undefined>()
  readonly changes: Change[] = []
  readonly #extras: ((writer: TableWriter) => void)[] = []
  #newest: Revision

  constructor(tables: DraftSource, newest: Revision) {
    this.#tables = tables
    this.#newest = newest
  }

  /** The newest revision, the draft's own included. */
  get newest(): Revision {
    return this.#newest
  }

  get isEmpty(): boolean {
    return this.changes.length === 0 && this.#extras.length === 0
  }

  /** The key's revision; `ABSENT`: it is not there. */
  revisionOf(key: string): Revision {
    return this.#stateOf(key)?.revision ?? ABSENT
  }

  itemOf(key: string): KeyValue | undefined {
    const state = this.#stateOf(key)
    if (state === undefined) return undefined
    const { revision, createRevision, value } = state
    return value === undefined ? itemAt(this.#tables, key, revision) : { key, value, revision, createRevision }
  }

  put(put: Put): Revision {
    const before = this.#stateOf(put.key)
    const revision = ++this.#newest
    const state = { revision, createRevision: before?.createRevision ?? revision, deadlineMs: put.deadlineMs }
    this.#touched.set(put.key, { ...state, value: put.value })
    const entry = { ...state, key: put.key, value: put.value, previousRevision: before?.revision ?? ABSENT }
    this.changes.push({ entry, before })
    return revision
  }

  /** The key must be there. */
  remove(key: string): Revision {
    const before = this.#stateOf(key)
    const revision = ++this.#newest
    this.#touched.set(key, undefined)
    const previousRevision = before?.revision ?? ABSENT
    const entry = { key, revision, createRevision: ABSENT, previousRevision, deadlineMs: 0, value: undefined }
    this.changes.push({ entry, before })
    return revision
  }

  /** Adds something else to the same commit. */
  also(write: (writer: TableWriter) => void): void {
    this.#extras.push(write)
  }

  writeTo(writer: TableWriter): void {
    for (const change of this.changes) writer.change(change)
    for (const write of this.#extras) write(writer)
    writer.count({ newest: this.#newest })
  }

  #stateOf(key: string): DraftState | undefined {
    return this.#touched.has(key) ? this.#touched.get(key) : this.#tables.stateOf(key)
  }
}
