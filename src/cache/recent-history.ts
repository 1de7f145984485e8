// The changes shortly before the cache was loaded, from the storage's history: after a restart clients resume from older
// versions, and should find them here instead of each opening a watch on the storage.
import { type Clock, repeat } from '../lib/clock.ts'
import { anySignal } from '../lib/light-signal.ts'
import type { Feed, Source, SourceChange } from '../store/source.ts'

/** How many revisions back; the second where the storage has compacted the first. */
const SPANS: readonly number[] = [5_000, 500]
/** How often progress is requested: there may be no changes under the prefix. */
const ASK_MS = 100
const TIMEOUT_MS = 10_000

export interface Past {
  /** Every change after `floor` and up to the revision that was asked for. */
  readonly changes: readonly SourceChange[]
  readonly floor: number
}

interface RecentHistoryOptions {
  readonly source: Source
  /** By which the storage is waited for. */
  readonly waitClock: Clock
}

/** Undefined where the storage does not have it: the cache is complete without it. */
export async function readPast(
  options: RecentHistoryOptions,
  revision: number,
  signal: AbortSignal,
): Promise<Past | undefined> {
  for (const span of SPANS) {
    const floor = Math.max(0, revision - span)
    const changes = await readSince(options, { floor, revision }, signal)
    if (changes !== undefined || signal.aborted) return changes === undefined ? undefined : { changes, floor }
  }
  return undefined
}

async function readSince(
  options: RecentHistoryOptions,
  between: { readonly floor: number; readonly revision: number },
  signal: AbortSignal,
): Promise<readonly SourceChange[] | undefined> {
  const { waitClock: clock, source } = options
  const scope = new AbortController()
  const cancelTimeout = clock.callAfter(TIMEOUT_MS, () => scope.abort())
  const feed = source.follow({ after: between.floor, withPrevious: true }, anySignal([signal, scope.signal]))
  feed.requestProgress()
  const stopAsking = repeat(clock, ASK_MS, () => feed.requestProgress())
  try {
    return await collect(feed, between.revision)
  } catch {
    return undefined
  } finally {
    stopAsking()
    cancelTimeout()
    scope.abort()
  }
}

async function collect(feed: Feed, revision: number): Promise<readonly SourceChange[]> {
  const changes: SourceChange[] = []
  for await (const batch of feed) {
    for (const change of batch.changes) if (revisionOf(change) <= revision) changes.push(change)
    if (batch.revision >= revision) break
  }
  return changes
}

export function revisionOf(change: SourceChange): number {
  return change.kind === 'put' ? change.item.revision : change.revision
}
