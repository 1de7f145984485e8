// Hashes over all that a store holds, by which members of a cluster find out that they differ: bit for bit as etcd makes them.
import { crc32c } from '../../lib/crc32c.ts'
import type { Revision } from '../kv.ts'
import type { StoredHistory } from '../transactional.ts'
import { backendBuckets, KEY_BUCKET, keyPair, META_BUCKET, PASSING_META, type Surroundings } from './backend.ts'

/** To etcd, of a store that was never compacted. */
const NEVER_COMPACTED = -1

/** Of the whole database. */
export async function hashOfAll(
  history: StoredHistory,
  surroundings: Surroundings,
  signal: AbortSignal,
): Promise<number> {
  let hash = 0
  for (const { name, pairs } of backendBuckets(history, surroundings, signal)) {
    hash = crc32c(Buffer.from(name), hash)
    for await (const some of pairs()) {
      for (const [key, value] of some) {
        if (name === META_BUCKET && PASSING_META.has(key.toString())) continue
        hash = crc32c(value, crc32c(key, hash))
      }
    }
  }
  return hash
}

/**
 * As etcd hashes what it holds up to a revision: of what was there at its last compaction only what still was at the revision, unless
 * nothing was there any more; and of deletes those behind the compaction. What etcd remembers of the time before a
 * compaction, and forgets when it is started again, is not in it.
 */
export async function hashOfKeys(history: StoredHistory, revision: Revision, signal: AbortSignal): Promise<number> {
  const compacted = compactRevisionOf(history)
  let kept = crc32c(Buffer.from(KEY_BUCKET))
  let all = kept
  let isAnyCurrent = false
  // Nor does what was put back in the revision that had deleted it count as there.
  const deleted = new Set<string>()
  for await (const changes of history.changes(signal)) {
    for (const change of changes) {
      if (change.revision === revision && change.item === undefined) deleted.add(change.key)
      if (change.revision > revision || (change.revision === compacted && change.item === undefined)) continue
      const isOld = change.revision <= compacted
      const isAsked: boolean = isOld || !isAnyCurrent
      const isCurrent: boolean = isAsked && history.isCurrentAt(change, revision) && !deleted.has(change.key)
      isAnyCurrent ||= isCurrent
      const [key, value] = keyPair(change)
      if (isCurrent || !isOld) kept = crc32c(value, crc32c(key, kept))
      if (!isAnyCurrent) all = crc32c(value, crc32c(key, all))
    }
  }
  return isAnyCurrent ? kept : all
}

export function compactRevisionOf({ oldest }: StoredHistory): Revision {
  return oldest > 1 ? oldest : NEVER_COMPACTED
}
