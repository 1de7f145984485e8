// Keeps the contents up to date: loads them, follows the storage's watch, and loads them again if the watch breaks off and cannot be
// resumed. The storage itself handles lost connections.
import { setImmediate } from 'node:timers/promises'
import { ApiError } from '../api/status.ts'
import type { Clock } from '../lib/clock.ts'
import { pause } from '../lib/pause.ts'
import type { Feed, Source } from '../store/source.ts'
import { Contents, type ContentsOptions, type SharedContents } from './contents.ts'
import { readPast } from './recent-history.ts'

const FIRST_RETRY_MS = 100
const LONGEST_RETRY_MS = 5_000

export interface FollowerEvents {
  readonly onLoading: (loaded: number, total: number) => void
  /** Called when contents are complete as of the revision. Older contents are no longer updated. */
  readonly onLoaded: (contents: Contents, revision: number) => void
  /** Called when the contents include everything up to the revision. */
  readonly onProgress: (revision: number) => void
  /** Called when the stream cannot be resumed, before everything is loaded again. */
  readonly onLost: (error: unknown) => void
  readonly onError: (error: unknown) => void
}

export interface FollowerOptions extends ContentsOptions {
  readonly source: Source
  /** Recent contents of the source. If there are any, nothing is loaded. */
  readonly shared: SharedContents | undefined
  /** The clock for retries of the storage. */
  readonly waitClock: Clock
  /** Adds the types that are known from the start. */
  readonly prepare: (contents: Contents) => void
  readonly events: FollowerEvents
}

interface Loaded {
  readonly contents: Contents
  revision: number
}

export class Follower {
  readonly #options: FollowerOptions
  #feed: Feed | undefined
  /** Undefined: everything must be loaded first. */
  #loaded: Loaded | undefined
  #readingPast: Promise<void> | undefined
  #shared: SharedContents | undefined

  constructor(options: FollowerOptions) {
    this.#options = options
    this.#shared = options.shared
  }

  /** Requests progress from the stream. False: there is no stream, or it cannot report progress. */
  requestProgress(): boolean {
    return this.#feed?.requestProgress() ?? false
  }

  /** Resolves when the signal has fired and all work is done. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      await this.#keepInStep(signal)
    } finally {
      await this.#readingPast
    }
  }

  async #keepInStep(signal: AbortSignal): Promise<void> {
    const { waitClock, events } = this.#options
    for (let failures = 0; !signal.aborted; ) {
      try {
        this.#loaded ??= this.#takeShared() ?? (await this.#load(signal))
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
      await pause(waitClock, Math.min(FIRST_RETRY_MS * 2 ** failures++, LONGEST_RETRY_MS), signal)
    }
  }

  /** Takes the shared contents, once. Earlier changes are read from the storage. */
  #takeShared(): Loaded | undefined {
    const shared = this.#shared
    if (shared === undefined) return undefined
    this.#shared = undefined
    const { prepare, events } = this.#options
    const contents = new Contents(this.#options, shared)
    prepare(contents)
    events.onLoaded(contents, shared.revision)
    return { contents, revision: shared.revision }
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
      // Requests that the storage answers meanwhile must not wait for the whole load.
      await setImmediate()
    }
    contents.begin(revision)
    events.onLoaded(contents, revision)
    this.#readingPast = this.#readPast(contents, revision, signal)
    return { contents, revision }
  }

  /** Adds the changes from before the load, while the stream runs. */
  async #readPast(contents: Contents, revision: number, signal: AbortSignal): Promise<void> {
    const past = await readPast(this.#options, revision, signal)
    if (past !== undefined) contents.extendHistory(past)
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
