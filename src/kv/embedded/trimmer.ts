// Removes the history that a compaction has given up, a piece at a time between the writes. What it removes nobody can ask for
// any more, so it may stop at any point and go on after a restart.
import { CancelledError } from '../../lib/errors.ts'
import { KvError, type Revision } from '../kv.ts'
import type { Tables, TableWriter } from './tables.ts'
import type { Job, WriteQueue } from './write-queue.ts'

/** One commit goes over as many revisions or bytes of records: a fraction of what a commit of writes may hold. */
const PIECE_REVISIONS = 256
const PIECE_BYTES = 4 * 1024 * 1024

/** What a piece of the log says about the history before it. */
interface Piece {
  readonly to: Revision
  /** The versions that revisions of the piece have superseded. */
  readonly versions: readonly { readonly key: string; readonly revision: Revision }[]
  readonly deletes: readonly Revision[]
}

export class Trimmer {
  readonly #tables: Tables
  readonly #queue: WriteQueue
  /** History before this revision has been removed. */
  #trimmed: Revision
  #running: Promise<void> | undefined
  #stopped = false

  constructor(from: { tables: Tables; queue: WriteQueue; trimmed: Revision }) {
    this.#tables = from.tables
    this.#queue = from.queue
    this.#trimmed = from.trimmed
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
    let revisions = PIECE_REVISIONS
    while (this.#trimmed < upTo) {
      if (this.#stopped) throw new CancelledError('the store was closed')
      try {
        this.#trimmed = await this.#trimPiece(this.#trimmed, Math.min(upTo, this.#trimmed + revisions))
      } catch (error) {
        // Forgetting needs a little room itself; a smaller piece needs less.
        if (revisions === 1 || !(error instanceof KvError && error.code === 'full')) throw error
        revisions = Math.ceil(revisions / 4)
      }
    }
  }

  /** Gives how far it came. */
  #trimPiece(from: Revision, upTo: Revision): Promise<Revision> {
    return new Promise((resolve, reject) => {
      let trimmed = from
      const job: Job = {
        bytes: 0,
        makesRoom: true,
        decide: (draft) => {
          const piece = this.#readPiece(from, upTo)
          trimmed = piece.to
          draft.also((writer) => forget(writer, piece))
        },
        done: () => resolve(trimmed),
        fail: reject,
      }
      this.#queue.add(job)
    })
  }

  /**
   * Each revision after `from` has made the version before it history that is given up. A delete is of no more use once a
   * later revision is the oldest that is kept.
   */
  #readPiece(from: Revision, upTo: Revision): Piece {
    const versions: { key: string; revision: Revision }[] = []
    const deletes: Revision[] = []
    let to = from
    let bytes = 0
    for (const { key, revision, previousRevision, value } of this.#tables.log(from, upTo + 1)) {
      to = revision
      bytes += value?.length ?? 0
      if (revision > from && previousRevision > 0) versions.push({ key, revision: previousRevision })
      if (value === undefined && revision < upTo) deletes.push(revision)
      if (bytes >= PIECE_BYTES) return { to, versions, deletes }
    }
    return { to: upTo, versions, deletes }
  }
}

function forget(writer: TableWriter, piece: Piece): void {
  for (const { key, revision } of piece.versions) writer.forgetVersion(key, revision)
  for (const revision of piece.deletes) writer.forgetEntry(revision)
  writer.count({ trimmed: piece.to })
}
