// Reloads files when they change. The folders of the files are watched, because the update of a mounted secret replaces a folder. A
// periodic check finds changes that the watch misses (P-025, P-072, P-174, P-449).
import { type FSWatcher, watch } from 'node:fs'
import path from 'node:path'
import type { Log, LogFields } from '../lib/log.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { ReloadRequests } from './reload-requests.ts'
import { reasonOf } from './start-error.ts'

export interface ReloadedFiles {
  readonly files: readonly string[]
  /** The interval of the periodic checks. */
  readonly everyMs: number
  /** A request checks the files at once, and reports a problem again. */
  readonly reloads: ReloadRequests
  /** Applies changed files. Throws if they are faulty, and then changes nothing. */
  readonly look: (signal: AbortSignal) => Promise<void> | void
  /** Not called again while the problem stays the same. */
  readonly onProblem: (error: unknown) => void
}

/** After this time, a program that replaces several files, or writes a file in parts, is done. */
const SETTLE_MS = 100

/** Checks the files when they may have changed. Resolves when the signal fires. */
export async function reloadFiles(options: ReloadedFiles, signal: AbortSignal): Promise<void> {
  const { files, everyMs, reloads, look, onProblem } = options
  const changes = new Changes(files)
  let told: string | undefined
  const ignore = reloads.listen(() => {
    told = undefined
    changes.note()
  })
  try {
    while (await changes.next(everyMs, signal)) {
      try {
        await look(signal)
        told = undefined
      } catch (error) {
        if (signal.aborted) return
        const problem = error instanceof Error ? error.message : String(error)
        if (problem !== told) onProblem(error)
        told = problem
      }
    }
  } finally {
    ignore()
    changes.close()
  }
}

/** Called after each reload, with its result. */
export type OnReload = (status: 'success' | 'failure') => void

export interface FollowedContent<T> extends Pick<ReloadedFiles, 'files' | 'everyMs' | 'reloads'> {
  /** The content in the log: `serving certificates`. */
  readonly what: string
  readonly previous?: 'one' | 'ones'
  readonly current: T
  readonly read: () => MaybePromise<T>
  /** Not called while `read` returns content with the same JSON. */
  readonly use: (content: T, signal: AbortSignal) => MaybePromise<void>
  readonly onReload?: OnReload
  readonly log: Log
  /** The level of problems. */
  readonly level: 'warn' | 'error'
  readonly fields?: LogFields
}

/** Applies the content of files when it changes, and logs each change and each problem. Resolves when the signal fires. */
export async function followContent<T>(options: FollowedContent<T>, signal: AbortSignal): Promise<void> {
  const { what, previous = 'one', read, use, onReload, log, level, fields = {} } = options
  let current = JSON.stringify(options.current)
  const look = async (stop: AbortSignal): Promise<void> => {
    const found = await read()
    const text = JSON.stringify(found)
    if (text === current) return
    await use(found, stop)
    current = text
    onReload?.('success')
    log.info(fields, `reloaded ${what}`)
  }
  const onProblem = (error: unknown): void => {
    onReload?.('failure')
    log[level]({ reason: reasonOf(error), ...fields }, `could not reload ${what}; keeping the previous ${previous}`)
  }
  await reloadFiles({ ...options, look, onProblem }, signal)
}

class Changes {
  readonly #watchers: FSWatcher[] = []
  /** The files may have changed since the last check. */
  #isNew = false
  #wake: (() => void) | undefined

  constructor(files: readonly string[]) {
    for (const folder of new Set(files.map((file) => path.dirname(path.resolve(file))))) this.#watch(folder)
  }

  /** Resolves to true when it is time for a check, and to false when the signal fires. */
  async next(everyMs: number, signal: AbortSignal): Promise<boolean> {
    if (!this.#isNew) await this.#wait(everyMs, signal)
    if (this.#isNew) await this.#wait(SETTLE_MS, signal)
    this.#isNew = false
    return !signal.aborted
  }

  /** Call this if the files may have changed. */
  note(): void {
    this.#isNew = true
    this.#wake?.()
  }

  close(): void {
    for (const watcher of this.#watchers) watcher.close()
  }

  #watch(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, () => this.note())
      watcher.on('error', () => watcher.close())
      this.#watchers.push(watcher)
    } catch {
      // Not every file system can notify. The periodic checks remain.
    }
  }

  /** Waits until the time is over, a change is noticed or the signal fires. */
  #wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const end = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        this.#wake = undefined
        resolve()
      }
      const timer = setTimeout(end, milliseconds).unref()
      signal.addEventListener('abort', end, { once: true })
      if (!this.#isNew) this.#wake = end
    })
  }
}
