// Keeps the contents in step with the storage: loads them, follows the stream, and loads them anew where the stream was cut
// and its history is gone. Lost connections are the storage's own business; this sees only what cannot be mended there.
import { setImmediate } from 'node:timers/promises'
import { ApiError } from '../api/status.ts'
import { pause } from '../lib/pause.ts'
import type { Feed, Source } from '../store/source.ts'
import { Contents } from './contents.ts'
import type { ContentsOptions } from './contents.ts'

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

export class Follower {
  readonly #options: FollowerOptions
  #feed: Feed | undefined

  constructor(options: FollowerOptions) {
    this.#options = options
  }

  /** Asks the stream how far it is; false: there is none, or it cannot be asked. */
  requestProgress(): boolean {
    return this.#feed?.requestProgress() ?? false
  }

  /** Resolves when the signal fires. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, events } = this.#options
    let retryMs = FIRST_RETRY_MS
    let contents: Contents | undefined
    let revision = 0
    do {
      try {
        if (contents === undefined) ({ contents, revision } = await this.#load(signal))
        for await (const batch of this.#follow(revision, signal)) {
          contents.apply(batch)
          revision = batch.revision
          events.onProgress(revision)
          retryMs = FIRST_RETRY_MS
        }
      } catch (error) {
        if (signal.aborted) return
        events.onError(error)
        if (isExpired(error) && contents !== undefined) {
          contents = undefined
          events.onLost(error)
          continue
        }
      }
      retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS)
    } while (await pause(clock, retryMs, signal))
  }

  async #load(signal: AbortSignal): Promise<{ contents: Contents; revision: number }> {
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
    return { contents, revision }
  }

  #follow(after: number, signal: AbortSignal): Feed {
    this.#feed = this.#options.source.follow({ after, withPrevious: false }, signal)
    return this.#feed
  }
}

function isExpired(error: unknown): boolean {
  return error instanceof ApiError && error.reason === 'Expired'
}
