// The newest entries of the log. They stay in memory until every watcher has read them, so that watchers that keep up do not read the
// disk. They are bounded by number and bytes, except for the last revision. A revision is complete or missing.
import type { Revision } from '../kv.ts'
import type { LogEntry } from './records.ts'
import { firstFrom } from './revision-order.ts'

const MAX_ENTRIES = 2048
const MAX_BYTES = 4 * 1024 * 1024

export class RecentEntries {
  #entries: LogEntry[] = []
  #bytes = 0

  add(entry: LogEntry): void {
    const isFull = this.#entries.length >= MAX_ENTRIES || this.#bytes > MAX_BYTES
    if (isFull && this.#entries.at(-1)?.revision !== entry.revision) this.#dropOlderHalf()
    this.#entries.push(entry)
    this.#bytes += entry.value?.length ?? 0
  }

  /** The entries from `revision` on. Undefined: some of them were dropped. */
  from(revision: Revision): readonly LogEntry[] | undefined {
    const first = this.#entries[0]
    if (first === undefined || revision < first.revision) return undefined
    return this.#entries.slice(firstFrom(this.#entries, revision))
  }

  /** Forgets all entries if every watcher has read them. `read` is the revision of the slowest watcher. */
  forgetRead(read: Revision): void {
    const newest = this.#entries.at(-1)
    if (newest === undefined || newest.revision > read) return
    this.#entries = []
    this.#bytes = 0
  }

  /** Drops half at a time, so that a busy store does not move the array with every entry. */
  #dropOlderHalf(): void {
    const middle = this.#entries[Math.ceil(this.#entries.length / 2) - 1]!
    const kept = this.#entries.slice(firstFrom(this.#entries, middle.revision + 1))
    this.#entries = kept
    this.#bytes = kept.reduce((sum, entry) => sum + (entry.value?.length ?? 0), 0)
  }
}
