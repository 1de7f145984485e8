// Reads the changes from shortly before the load of the cache, from the storage's history. After a restart, clients resume from older
// versions. The cache can then serve these watches, and no watches on the storage are needed.
import { type Clock, repeat } from '../lib/clock.ts'
import { anySignal } from '../lib/light-signal.ts'
import type { Feed, Source, SourceChange, SourceItem } from '../store/source.ts'
import { HISTORY_LIMITS } from './history.ts'

/** The numbers of revisions to go back. The next number is tried if the storage has compacted the revision. */
const SPANS: readonly number[] = [5_000, 500, 1]
/** The interval of requests for progress: there may be no changes under the prefix. */
const ASK_MS = 100
const TIMEOUT_MS = 10_000
/** The largest number of bytes of the objects before and after all these changes. Older changes stay in the storage. */
const MOST_BYTES = HISTORY_LIMITS.bytes

export interface Past {
  /** Every change after `floor` and up to the requested revision. */
  readonly changes: readonly SourceChange[]
  readonly floor: number
}

/** The revisions after `floor` and up to `revision`. */
interface Span {
  readonly floor: number
  readonly revision: number
}

interface RecentHistoryOptions {
  readonly source: Source
  readonly waitClock: Clock
}

/** Returns the changes before a revision. Undefined: the storage does not have them. The cache also works without them. */
export async function readPast(
  options: RecentHistoryOptions,
  revision: number,
  signal: AbortSignal,
): Promise<Past | undefined> {
  for (const span of SPANS) {
    const floor = Math.max(0, revision - span)
    const past = await readSpan(options, { floor, revision }, signal)
    if (past !== undefined || signal.aborted) return past
  }
  return undefined
}

async function readSpan(
  { waitClock: clock, source }: RecentHistoryOptions,
  span: Span,
  signal: AbortSignal,
): Promise<Past | undefined> {
  const scope = new AbortController()
  const cancelTimeout = clock.callAfter(TIMEOUT_MS, () => scope.abort())
  const feed = source.follow({ after: span.floor, withPrevious: true }, anySignal([signal, scope.signal]))
  feed.requestProgress()
  const stopAsking = repeat(clock, ASK_MS, () => feed.requestProgress())
  try {
    return await collect(feed, span)
  } catch {
    return undefined
  } finally {
    stopAsking()
    cancelTimeout()
    scope.abort()
  }
}

async function collect(feed: Feed, { floor, revision: last }: Span): Promise<Past> {
  const newest = new NewestChanges(floor)
  for await (const { revision, changes } of feed) {
    newest.add(
      revision,
      changes.filter((change) => revisionOf(change) <= last),
    )
    if (revision >= last) break
  }
  return newest
}

/** Keeps the newest changes that fit into `MOST_BYTES`, and always the last batch. */
class NewestChanges implements Past {
  floor: number
  readonly #kept: { readonly revision: number; readonly changes: readonly SourceChange[]; readonly bytes: number }[] =
    []
  #bytes = 0

  constructor(floor: number) {
    this.floor = floor
  }

  get changes(): readonly SourceChange[] {
    return this.#kept.flatMap(({ changes }) => changes)
  }

  /** Adds the changes of complete revisions, up to this revision. */
  add(revision: number, changes: readonly SourceChange[]): void {
    const bytes = changes.reduce((sum, change) => sum + bytesOf(change), 0)
    this.#kept.push({ revision, changes, bytes })
    this.#bytes += bytes
    while (this.#bytes > MOST_BYTES && this.#kept.length > 1) {
      const oldest = this.#kept.shift()!
      this.#bytes -= oldest.bytes
      this.floor = oldest.revision
    }
  }
}

function bytesOf(change: SourceChange): number {
  return sizeOf(change.kind === 'put' ? change.item : undefined) + sizeOf(change.previous)
}

function sizeOf(item: SourceItem | undefined): number {
  return item?.content.kind === 'readable' ? item.content.bytes.length : 0
}

export function revisionOf(change: SourceChange): number {
  return change.kind === 'put' ? change.item.revision : change.revision
}
