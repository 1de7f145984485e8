// The client's side of a watch over a link. Received batches wait here for the reader. The server sends at most a window of unread bytes,
// so that a watch without a reader takes little memory and delays no other watch.
import { CancelledError, InvariantError } from '../../lib/errors.ts'
import type { Batch, KvEvent, KvWatch, WatchRequest } from '../kv.ts'
import { FieldReader, type FieldWriter, FIXED_BYTES, PROGRESS, readBatch, TAKEN } from './frames.ts'

/** The largest number of bytes of a watch that are on their way or unread. */
export const WINDOW_BYTES = 1024 * 1024

/** The interface of the link for its watches. */
export interface LinkEnd {
  /** Throws if the link is over. Returns the number of the watch. */
  openWatch(watch: LinkWatch, request: WatchRequest): number
  closeWatch(call: number): void
  tell(type: number, call: number, content: { room: number; write: (writer: FieldWriter) => void }): void
}

const NOTHING = Object.freeze({ room: 0, write: (): void => {} })

export class LinkWatch implements KvWatch {
  readonly #link: LinkEnd
  readonly #request: WatchRequest
  readonly #signal: AbortSignal
  #arrived: Buffer[] = []
  #call: number | undefined
  #isStarted = false
  #wantsProgress = false
  #takenBytes = 0
  #error: Error | undefined
  #isOver = false
  #wake: (() => void) | undefined

  constructor(link: LinkEnd, request: WatchRequest, signal: AbortSignal) {
    this.#link = link
    this.#request = request
    this.#signal = signal
  }

  get unreadBytes(): number {
    return this.#arrived.reduce((sum, { length }) => sum + length, 0)
  }

  requestProgress(): boolean {
    this.#wantsProgress = true
    if (this.#call !== undefined && !this.#isOver) this.#askForProgress(this.#call)
    return true
  }

  [Symbol.asyncIterator](): AsyncIterator<Batch> {
    if (this.#isStarted) throw new InvariantError('a watch can be iterated only once')
    this.#isStarted = true
    return {
      next: () => this.#next(),
      return: async () => {
        this.#finish()
        return { done: true, value: undefined }
      },
    }
  }

  /** For the link: takes a batch. */
  take(batch: Buffer): void {
    this.#arrived.push(batch)
    this.#wakeUp()
  }

  /** For the link: ends the watch. */
  end(error: Error): void {
    this.#error ??= error
    this.#finish()
  }

  readonly #cancel = (): void => this.end(new CancelledError(this.#signal.reason))

  async #next(): Promise<IteratorResult<Batch>> {
    if (this.#call === undefined && !this.#isOver) this.#begin()
    for (;;) {
      if (this.#error !== undefined) throw this.#error
      if (this.#isOver) return { done: true, value: undefined }
      if (this.#arrived.length > 0) return { done: false, value: this.#read() }
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  #begin(): void {
    if (this.#signal.aborted) return this.#cancel()
    this.#call = this.#link.openWatch(this, this.#request)
    this.#signal.addEventListener('abort', this.#cancel)
    if (this.#wantsProgress) this.#askForProgress(this.#call)
  }

  /** Joins all received batches. */
  #read(): Batch {
    const events: KvEvent[] = []
    let revision = 0
    for (const bytes of this.#arrived) {
      this.#takenBytes += bytes.length
      revision = readBatch(new FieldReader(bytes), events)
    }
    this.#arrived = []
    this.#tellTaken()
    return { events, revision }
  }

  #tellTaken(): void {
    if (this.#takenBytes >= WINDOW_BYTES / 4) {
      const taken = this.#takenBytes
      this.#takenBytes = 0
      this.#link.tell(TAKEN, this.#call!, { room: FIXED_BYTES, write: (writer) => writer.number(taken) })
    }
  }

  #askForProgress(call: number): void {
    this.#wantsProgress = false
    this.#link.tell(PROGRESS, call, NOTHING)
  }

  #finish(): void {
    if (!this.#isOver && this.#call !== undefined) {
      this.#link.closeWatch(this.#call)
      this.#signal.removeEventListener('abort', this.#cancel)
    }
    this.#isOver = true
    this.#arrived = []
    this.#wakeUp()
  }

  #wakeUp(): void {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }
}
