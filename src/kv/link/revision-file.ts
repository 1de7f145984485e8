// The newest revision of a store, in a file. Other processes of this machine read it in a microsecond. A request to the process with the
// store would cost more than the rest of a GET. Invariant: a revision is in the file before any client learns of it. So a read of the file
// is at least as new as every revision that a client knows (POSIX: a read that begins after a write sees it).
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import type { Revision } from '../kv.ts'

/** The revision is written twice. A read in the middle of a write finds two different numbers. */
const REVISION_BYTES = 8
const FILE_BYTES = 2 * REVISION_BYTES

/** The path of the file, beside the socket of the link. */
export function revisionFileOf(socket: string): string {
  return `${socket}.revision`
}

export class RevisionWriter {
  readonly #path: string
  readonly #file: number
  readonly #bytes = Buffer.alloc(FILE_BYTES)
  #noted: Revision = 0
  #written: Revision = 0
  /** The file is not written any more. */
  #isGivenUp = false

  /** Throws Node's error if the file cannot be made or exists. */
  constructor(path: string) {
    this.#path = path
    this.#file = openSync(path, 'wx', 0o600)
    // Zero is not a revision: until the first `publish`, readers ask the store.
    writeSync(this.#file, this.#bytes, 0, FILE_BYTES, 0)
  }

  /** Keeps the revision for the next `publish`. */
  note(revision: Revision): void {
    if (revision > this.#noted) this.#noted = revision
  }

  /**
   * Call this before a client learns of a noted revision. Throws Node's error once: end the links of all clients then, because they have
   * the file open. Later clients find no file.
   */
  publish(): void {
    if (this.#noted === this.#written || this.#isGivenUp) return
    this.#bytes.writeDoubleLE(this.#noted, 0)
    this.#bytes.writeDoubleLE(this.#noted, REVISION_BYTES)
    try {
      writeSync(this.#file, this.#bytes, 0, FILE_BYTES, 0)
      this.#written = this.#noted
    } catch (error) {
      this.#isGivenUp = true
      rmSync(this.#path, { force: true })
      throw error
    }
  }

  close(): void {
    this.#isGivenUp = true
    closeSync(this.#file)
    rmSync(this.#path, { force: true })
  }
}

export class RevisionReader {
  readonly #file: number
  readonly #bytes = Buffer.alloc(FILE_BYTES)

  /** Throws Node's error if there is no file. */
  constructor(path: string) {
    this.#file = openSync(path, 'r')
  }

  /** Undefined: no revision yet, or a write is under way. Ask the store then. */
  read(): Revision | undefined {
    if (readSync(this.#file, this.#bytes, 0, FILE_BYTES, 0) !== FILE_BYTES) return undefined
    const revision = this.#bytes.readDoubleLE(0)
    return revision > 0 && revision === this.#bytes.readDoubleLE(REVISION_BYTES) ? revision : undefined
  }

  close(): void {
    closeSync(this.#file)
  }
}
