// Keeps the contents in step with the storage: loads them, follows the stream, and loads them anew where the stream was cut
// and its history is gone. Lost connections are the storage's own business; this sees only what cannot be mended there.
import { setImmediate } from 'node:timers/promises'
import { ApiError } from '../api/status.ts'
import { pause } from '../lib/pause.ts'
import type { Feed, Source } from '../store/source.ts'
import { Contents, type ContentsOptions } from './contents.ts'
import { readPast } from './recent-history.ts'

const FIRST_RETRY_MS = 100
const LONGEST_RETRY_MS = 5_000

export interface FollowerEvents {
  /** So many of so many items were loaded. */
  readonly onLoading: (loaded: number, total: number) => void
  /** Complete as of the revision; what was loaded before is no longer kept up to date. */
  readonly onLoaded: (contents: Contents, revision: number) => void
  /** Everything up to the revision is in the contents. */
  readonly onProgress: (revision: number) => void
  /** History is lost, and the contents are about to be loaded anew. */
  readonly onLost: (error: unknown) => void
  readonly onError: (error: unknown) => void
}

export interface FollowerOptions extends ContentsOptions {
  readonly source: Source
  /** Types that are taken up from the start. */
  readonly prepare: (contents: Contents) => void
  readonly events: FollowerEvents
}

interface Loaded {
  readonly contents: Contents
  /** Everything up to here is in it. */
  revision: number
}

export class Follower {
  readonly #options: FollowerOptions
  #feed: Feed | undefined
  /** What is kept in step; undefined where it has to be loaded first. */
  #loaded: Loaded | undefined
  #priming: Promise<void> | undefined

  constructor(options: FollowerOptions) {
    this.#options = options
  }

  /** Asks the stream how far it is; false: there is none, or it cannot be asked. */
  requestProgress(): boolean {
    return this.#feed?.requestProgress() ?? false
  }

  /** Resolves when the signal fires and nothing is under way any more. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      await this.#keepInStep(signal)
    } finally {
      await this.#priming
    }
  }

  async #keepInStep(signal: AbortSignal): Promise<void> {
    const { clock, events } = this.#options
    for (let failures = 0; !signal.aborted; ) {
      try {
        this.#loaded ??= await this.#load(signal)
        await this.#follow(this.#loaded, signal, () => (failures = 0))
      } catch (error) {
        if (signal.aborted) return
        events.onError(error)
        if (isExpired(error) && this.#loaded !== undefined) {
          this.#loaded = undefined
          events.onLost(error)
          continue
        }
      }
      await pause(clock, Math.min(FIRST_RETRY_MS * 2 ** failures++, LONGEST_RETRY_MS), signal)
    }
  }

  async #load(signal: AbortSignal): Promise<Loaded> {
    const { source, prepare, events } = this.#options
    const contents = new Contents(this.#options)
    prepare(contents)
    let revision = 0
    let loaded = 0
    for await (const page of source.load(signal)) {
      for (const item of page.items) contents.fill(item)
      revision = page.revision
      loaded += page.items.length
      events.onLoading(loaded, page.total)
      // Requests that the storage answers meanwhile must not wait for two hundred thousand objects.
      await setImmediate()
    }
    contents.begin(revision)
    events.onLoaded(contents, revision)
    this.#priming = this.#prime(contents, revision, signal)
    return { contents, revision }
  }

  /** Beside the stream: nobody has to wait for it. */
  async #prime(contents: Contents, revision: number, signal: AbortSignal): Promise<void> {
    const past = await readPast(this.#options, revision, signal)
    if (past !== undefined) contents.recall(past)
  }

  async #follow(loaded: Loaded, signal: AbortSignal, onProgress: () => void): Promise<void> {
    this.#feed = this.#options.source.follow({ after: loaded.revision, withPrevious: false }, signal)
    for await (const batch of this.#feed) {
      loaded.contents.apply(batch)
      loaded.revision = batch.revision
      this.#options.events.onProgress(batch.revision)
      onProgress()
    }
  }
}

function isExpired(error: unknown): boolean {
  return error instanceof ApiError && error.reason === 'Expired'
}
