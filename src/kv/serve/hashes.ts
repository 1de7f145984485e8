// Hashes of the content of a store, by which members of a cluster detect differences. They equal etcd's bit for bit.
import { crc32c } from '../../lib/crc32c.ts'
import type { Revision } from '../kv.ts'
import type { StoredHistory } from '../transactional.ts'
import { backendBuckets, KEY_BUCKET, keyPair, META_BUCKET, PASSING_META, type Surroundings } from './backend.ts'

/** The compacted revision that etcd reports for a store that was never compacted. */
const NEVER_COMPACTED = -1

/** The hash of the database. */
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
 * The hash of the keys up to a revision, as in etcd. Of the versions up to the last compaction, the hash includes those that are current at
 * the revision. If no version is current at that revision, it includes all of them. It includes the deletes after the compaction. It leaves
 * out the state that etcd remembers from before a compaction and forgets at a restart.
 */
export async function hashOfKeys(history: StoredHistory, revision: Revision, signal: AbortSignal): Promise<number> {
  const compacted = compactRevisionOf(history)
  let kept = crc32c(Buffer.from(KEY_BUCKET))
  let all = kept
  let isAnyCurrent = false
  // If the revision both deletes a key and puts it again, the key does not count as current either.
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
