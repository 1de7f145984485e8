// Group commit: writes that arrive during a commit go together into the next one. One commit at a time. Jobs are answered in order, when
// their writes, or the writes that they lost against, are on the disk.
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import { KvError, type Revision } from '../kv.ts'
import { Draft, type DraftSource } from './draft.ts'
import type { FreeSpace } from './free-space.ts'
import type { Change } from './table-writer.ts'
import type { Tables } from './tables.ts'

export type CommitTables = DraftSource & Pick<Tables, 'commit' | 'commitInTurns'>

export interface Job {
  /** The bytes of the job's values, for the limit of a group. */
  readonly bytes: number
  /** Whether the job frees space. If no space is left, such jobs are tried again without the other jobs. */
  readonly freesSpace: boolean
  /**
   * Decides the job in the draft. It may take several turns of the event loop. No other write runs meanwhile. An error fails this job
   * alone, and the job must not have changed the draft then.
   */
  decide(draft: Draft): MaybePromise<void>
  /** Called when the job's writes are on the disk. */
  done(): void
  fail(error: unknown): void
}

/** The largest number of jobs and bytes of a group. They bound a commit and its time on the event loop. */
const GROUP_JOBS = 512
const GROUP_BYTES = 8 * 1024 * 1024
/**
 * More changes are written in turns: each change takes 8 to 10 µs of the event loop. Usually only a delete of a range has so many changes.
 */
const LARGE_CHANGES = 2000

export class WriteQueue {
  readonly #tables: CommitTables
  readonly #space: Pick<FreeSpace, 'refresh'>
  /** Called with the committed changes, in order, before the jobs are done. */
  readonly #publish: (changes: readonly Change[]) => void
  /** Called between two groups, when nothing is being committed. */
  readonly #between: () => Promise<void> | undefined
  #newest: Revision
  #waiting: Job[] = []
  #running: Promise<void> | undefined
  #committing = false
  /** The error of the last commit, if it failed. */
  failure: KvError | undefined

  constructor(from: {
    tables: CommitTables
    space: Pick<FreeSpace, 'refresh'>
    newest: Revision
    publish: (changes: readonly Change[]) => void
    between?: () => Promise<void> | undefined
  }) {
    this.#tables = from.tables
    this.#space = from.space
    this.#newest = from.newest
    this.#publish = from.publish
    this.#between = from.between ?? (() => undefined)
  }

  /** The newest revision that was published. Reads of the tables may already see a commit that is under way. */
  get newest(): Revision {
    return this.#newest
  }

  /** The state on the disk is unknown: no writes are possible until the store is opened again. */
  get isBroken(): boolean {
    return this.failure?.code === 'unknown'
  }

  get isCommitting(): boolean {
    return this.#committing
  }

  add(job: Job): void {
    this.#waiting.push(job)
    this.#running ??= this.#work()
  }

  /** Runs a job that frees space or needs none. Resolves when it is on the disk. */
  run(decide: (draft: Draft) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.add({ bytes: 0, freesSpace: true, decide, done: resolve, fail: reject })
    })
  }

  async drained(): Promise<void> {
    while (this.#running !== undefined) await this.#running
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      // All writes of this turn of the event loop go together, including the next writes of clients that were just answered.
      await new Promise((resolve) => setImmediate(resolve))
      await this.#commitGroup(this.#takeGroup())
      await this.#tend()
    }
    this.#running = undefined
  }

  async #tend(): Promise<void> {
    if (this.isBroken) return
    try {
      await this.#between()
    } catch (error) {
      const message = `the store could not be opened again: ${(error as Error).message}`
      this.failure = new KvError('unknown', message, { cause: error })
    }
  }

  #takeGroup(): readonly Job[] {
    let bytes = 0
    let count = 0
    for (const job of this.#waiting) {
      bytes += job.bytes
      if (count > 0 && (count >= GROUP_JOBS || bytes > GROUP_BYTES)) break
      count++
    }
    return this.#waiting.splice(0, count)
  }

  async #commitGroup(jobs: readonly Job[]): Promise<void> {
    if (this.isBroken) {
      const error = new KvError('unavailable', this.failure!.message, { cause: this.failure })
      for (const job of jobs) job.fail(error)
      return
    }
    await this.#space.refresh(jobs.reduce((sum, job) => sum + job.bytes, 0))
    const draft = new Draft(this.#tables, this.#newest)
    const decided: Job[] = []
    for (const job of jobs) {
      try {
        const deciding = job.decide(draft)
        if (deciding instanceof Promise) await deciding
        decided.push(job)
      } catch (error) {
        job.fail(error)
      }
    }
    try {
      if (!draft.isEmpty) await this.#commit(draft)
    } catch (error) {
      await this.#failGroup(decided, error as KvError)
      return
    }
    for (const job of decided) job.done()
  }

  async #commit(draft: Draft): Promise<void> {
    this.#committing = true
    try {
      if (draft.changes.length > LARGE_CHANGES)
        await this.#tables.commitInTurns((writer) => draft.writeInPieces(writer))
      else await this.#tables.commit((writer) => draft.writeTo(writer))
      this.failure = undefined
    } catch (error) {
      this.failure = error as KvError
      throw error
    } finally {
      this.#committing = false
    }
    this.#newest = draft.newest
    this.#publish(draft.changes)
  }

  /** Without space, the jobs that free space are tried again: first without the other jobs, and then in ever smaller groups. */
  async #failGroup(jobs: readonly Job[], error: KvError): Promise<void> {
    const tryAgain = error.code === 'full' && jobs.length > 1
    for (const job of jobs) if (!(tryAgain && job.freesSpace)) job.fail(error)
    const freeing = tryAgain ? jobs.filter((job) => job.freesSpace) : []
    if (freeing.length < jobs.length) {
      if (freeing.length > 0) await this.#commitGroup(freeing)
      return
    }
    const half = Math.ceil(jobs.length / 2)
    await this.#commitGroup(jobs.slice(0, half))
    await this.#commitGroup(jobs.slice(half))
  }
}
