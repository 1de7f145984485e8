// Compaction: history before a revision becomes inaccessible at once, and is removed in pieces between the writes. The removal may
// stop at any point and resume after a restart.
import { KvError, type Revision } from '../kv.ts'
import type { TableWriter } from './table-writer.ts'
import type { Garbage, Tables } from './tables.ts'
import type { WriteQueue } from './write-queue.ts'

/** The largest number of versions that one commit removes. */
const PIECE_VERSIONS = 512

export class Compactor {
  readonly #tables: Tables
  readonly #queue: WriteQueue
  readonly #keptBytes: number
  #oldest: Revision
  /** Compactions run one after another. Each continues where the previous one stopped. */
  #last: Promise<void> = Promise.resolve()
  #stopped = false

  /** `keptBytes`: compaction keeps history while the store uses less than this. */
  constructor(from: { tables: Tables; queue: WriteQueue; oldest: Revision; keptBytes: number }) {
    this.#tables = from.tables
    this.#queue = from.queue
    this.#keptBytes = from.keptBytes
    this.#oldest = from.oldest
  }

  /** The oldest revision that can be read. */
  get oldest(): Revision {
    return this.#oldest
  }

  /** Finishes the compaction of the last process. If that fails, the next compaction tries again. */
  resume(): void {
    this.#last = this.#removeBefore(this.#oldest)
    this.#last.catch(() => undefined)
  }

  /** Resolves when the history before `upTo` is removed, as far as `keptBytes` requires. */
  compact(upTo: Revision): Promise<void> {
    const before = this.#last.catch(() => undefined)
    this.#last = before.then(() => this.#compact(upTo))
    return this.#last
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#last.catch(() => undefined)
  }

  #checkOpen(): void {
    if (this.#stopped) throw new KvError('closed', 'the store is closed')
  }

  async #compact(upTo: Revision): Promise<void> {
    this.#checkOpen()
    if (this.#keptBytes === 0) return this.#forgetBefore(upTo)
    while (this.#oldest < upTo && this.#tables.usedBytes() > this.#keptBytes) {
      await this.#forgetBefore(this.#oneStepTo(upTo))
    }
  }

  /** The revision up to which the next step forgets history: the oldest versions first, a piece at a time. */
  #oneStepTo(upTo: Revision): Revision {
    const garbage = [...this.#tables.garbage(upTo, PIECE_VERSIONS)]
    return garbage.length < PIECE_VERSIONS ? upTo : Math.max(garbage.at(-1)!.by.revision, this.#oldest + 1)
  }

  async #forgetBefore(upTo: Revision): Promise<void> {
    if (upTo > this.#oldest) {
      await this.#queue.run((draft) => draft.also((writer) => writer.count({ oldest: upTo })))
      this.#oldest = upTo
    }
    await this.#removeBefore(this.#oldest)
  }

  async #removeBefore(upTo: Revision): Promise<void> {
    let limit = PIECE_VERSIONS
    for (let isDone = false; !isDone; ) {
      this.#checkOpen()
      try {
        isDone = await this.#removePiece(upTo, limit)
      } catch (error) {
        // A removal needs a little space itself. A smaller piece needs less.
        if (limit === 1 || !(error instanceof KvError && error.code === 'full')) throw error
        limit = Math.ceil(limit / 4)
      }
    }
  }

  /** True for the last piece. */
  async #removePiece(upTo: Revision, limit: number): Promise<boolean> {
    let isLast = false
    await this.#queue.run((draft) => {
      // Removed garbage is gone from the table, so each piece begins at the start of the table.
      const garbage = [...this.#tables.garbage(upTo, limit)]
      isLast = garbage.length < limit || garbage.at(-1)?.by.revision === upTo
      if (garbage.length > 0) draft.also((writer) => forget(writer, garbage, upTo))
    })
    return isLast
  }
}

/** Keeps a delete at `upTo`, because a watch may begin there. Its garbage is kept too, so that a later compaction finds the delete. */
function forget(writer: TableWriter, garbage: readonly Garbage[], upTo: Revision): void {
  for (const { by, key, revision, sub, byDelete } of garbage) {
    writer.forgetVersion({ key, revision, sub })
    if (byDelete && by.revision === upTo) continue
    if (byDelete) writer.forgetDelete(by)
    writer.forgetGarbage(by)
  }
}
