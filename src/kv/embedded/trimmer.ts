// Removes the history that a compaction has given up, a piece at a time between the writes. What it removes nobody can ask for
// any more, so it may stop at any point and go on after a restart.
import { CancelledError } from '../../lib/errors.ts'
import { KvError, type Revision } from '../kv.ts'
import type { Garbage, Tables, TableWriter } from './tables.ts'
import type { Job, WriteQueue } from './write-queue.ts'

/** As many versions are forgotten in one commit: a fraction of what a commit of writes may hold. */
const PIECE_VERSIONS = 512

export class Trimmer {
  readonly #tables: Tables
  readonly #queue: WriteQueue
  #running: Promise<void> | undefined
  #stopped = false

  constructor(from: { tables: Tables; queue: WriteQueue }) {
    this.#tables = from.tables
    this.#queue = from.queue
  }

  /** Resolves when history before `upTo` has been removed. One at a time: a later call goes on where the former stops. */
  async trim(upTo: Revision): Promise<void> {
    while (this.#running !== undefined) await this.#running.catch(() => undefined)
    this.#running = this.#run(upTo)
    try {
      await this.#running
    } finally {
      this.#running = undefined
    }
  }

  /** Stops after the piece under way. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#running?.catch(() => undefined)
  }

  async #run(upTo: Revision): Promise<void> {
    let limit = PIECE_VERSIONS
    for (let isDone = false; !isDone; ) {
      if (this.#stopped) throw new CancelledError('the store was closed')
      try {
        isDone = await this.#trimPiece(upTo, limit)
      } catch (error) {
        // Forgetting needs a little room itself; a smaller piece needs less.
        if (limit === 1 || !(error instanceof KvError && error.code === 'full')) throw error
        limit = Math.ceil(limit / 4)
      }
    }
  }

  /** Whether it was the last one. */
  #trimPiece(upTo: Revision, limit: number): Promise<boolean> {
    return new Promise((resolve, reject) => {
      let isLast = false
      const job: Job = {
        bytes: 0,
        makesRoom: true,
        decide: (draft) => {
          // What was forgotten is not found any more: each piece begins at the beginning.
          const garbage = [...this.#tables.garbage(upTo, limit)]
          isLast = garbage.length < limit || garbage.at(-1)?.by === upTo
          if (garbage.length > 0) draft.also((writer) => forget(writer, garbage, upTo))
        },
        done: () => resolve(isLast),
        fail: reject,
      }
      this.#queue.add(job)
    })
  }
}

/** A delete itself is kept while it is the oldest revision that a watch may begin at: its garbage is, to find it by later. */
function forget(writer: TableWriter, garbage: readonly Garbage[], upTo: Revision): void {
  for (const { by, key, revision, byDelete } of garbage) {
    writer.forgetVersion({ key, revision })
    if (byDelete && by === upTo) continue
    if (byDelete) writer.forgetDelete(by)
    writer.forgetGarbage(by)
  }
}
