// Puts the items of a copy into an empty store. Their new revisions are above all earlier ones, and everything below is compacted. So a
// client that watched the old store gets 410 for its resourceVersion, and lists again.
import type { CopiedItem, RestorableKv } from '../copy.ts'
import { ABSENT, KvError, prefixRange, type Revision, putKey, removeKey } from '../kv.ts'
import { forEachAtOnce } from '../../lib/together.ts'
import { BackupError } from './backup-error.ts'
import { markerKey } from './unfinished.ts'

/** The number of items that engines write at once without slowing down each write. */
const AT_A_TIME = 256

const PAGE_KEYS = 500

const MOST_HOURS = 1

export interface RestoreOrder {
  readonly kv: RestorableKv
  readonly prefix: string
  readonly pages: AsyncIterable<readonly CopiedItem[]>
  /** The newest revision that a client may have seen. The new revisions are above it. */
  readonly above: Revision
  /** The revision of the copy. Default: 0. */
  readonly copied?: Revision
  readonly time: Date
  /** Called now and then while revisions are skipped. */
  readonly onProgress: (revision: Revision, to: Revision) => void
  /** Called when everything is stored, before the store may be used. May throw. */
  readonly check?: () => Promise<void>
}

/** Resolves with the newest revision. Throws a `BackupError` if the store is not empty. The store is unchanged then. */
export async function restore(order: RestoreOrder, signal: AbortSignal): Promise<Revision> {
  const { kv, prefix, above } = order
  await checkCost(order, signal)
  const marker = { key: markerKey(prefix), value: Buffer.from(order.time.toISOString()) }
  await clear(order, signal)
  const { item } = await kv.get(marker.key, {}, signal)
  const { ok } = await putKey(kv, { ...marker, expected: item?.revision ?? ABSENT }, signal)
  if (!ok) throw new BackupError('another restore into the store has begun')
  if ((await kv.newestRevision(signal)) < above) {
    const onProgress = (revision: Revision): void => order.onProgress(revision, above)
    await kv.skipTo({ ...marker, revision: above, onProgress }, signal)
  }
  for await (const page of order.pages) {
    await forEachAtOnce(page, { most: AT_A_TIME, signal }, (item) => put(kv, item, signal))
  }
  await order.check?.()
  await kv.compact(await kv.newestRevision(signal), signal)
  const { item: last } = await kv.get(marker.key, {}, signal)
  return (await removeKey(kv, { key: marker.key, expected: last?.revision ?? ABSENT }, signal)).revision
}

/** Some engines need a write for each skipped revision. Throws if these writes would take too long, before anything is written. */
async function checkCost({ kv, copied = 0, above }: RestoreOrder, signal: AbortSignal): Promise<void> {
  const { revisionsPerSecond } = kv
  if (revisionsPerSecond === undefined) return
  const newest = await kv.newestRevision(signal)
  const hoursTo = (revision: Revision): number => (revision - newest) / revisionsPerSecond / 3600
  if (hoursTo(above) <= MOST_HOURS) return
  const flag =
    hoursTo(copied) <= MOST_HOURS ? 'a smaller --revision-margin' : '--lower-revisions and restart all clients'
  throw new BackupError(
    `to raise its revision from ${newest} to ${above} takes a write for each, about ${Math.round(hoursTo(above))} hours: begin with an etcd of that revision (etcdutl snapshot restore --bump-revision ${above} --mark-compacted), or give ${flag}`,
  )
}

/** Deletes the remains of an interrupted restore. Throws if the store has keys, but no interrupted restore. */
async function clear({ kv, prefix }: RestoreOrder, signal: AbortSignal): Promise<void> {
  const marker = markerKey(prefix)
  const isUnfinished = (await kv.get(marker, {}, signal)).item !== undefined
  for (;;) {
    const page = await kv.list({ ...prefixRange(prefix), limit: PAGE_KEYS }, signal)
    const others = page.items.filter(({ key }) => key !== marker)
    if (others.length === 0) return
    if (!isUnfinished) throw new BackupError(`the store is not empty: it has ${others[0]!.key}`)
    await forEachAtOnce(others, { most: AT_A_TIME, signal }, ({ key, revision: expected }) =>
      removeKey(kv, { key, expected }, signal),
    )
  }
}

async function put(kv: RestorableKv, item: CopiedItem, signal: AbortSignal): Promise<void> {
  const { key, value, ttlSeconds } = item
  try {
    const { ok } = await putKey(kv, { key, value, ttlSeconds, expected: ABSENT }, signal)
    if (!ok) throw new BackupError(`another program writes to the store: ${key}`)
  } catch (error) {
    if (error instanceof KvError) throw new BackupError(`${key}: ${error.message}`, { cause: error })
    throw error
  }
}
