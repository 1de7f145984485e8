// Checks each item of a backup against the header: a file from elsewhere may have any content and still the right digest.
import type { CopiedItem } from '../copy.ts'
import { BackupError } from './backup-error.ts'
import type { BackupReader } from './backup-reader.ts'
import { markerKey } from './unfinished.ts'

/** The longest lease of etcd. */
const MOST_TTL_SECONDS = 9_000_000_000

/** Throws a `BackupError` for the first item that cannot come from a store. `accepts` throws for an item that the target store refuses. */
export async function* checkedPages(
  reader: BackupReader,
  accepts: (item: CopiedItem) => void = () => {},
): AsyncGenerator<readonly CopiedItem[]> {
  const { prefix, revision: newest } = reader.header
  for await (const page of reader.pages()) {
    for (const item of page) {
      const { key, revision, createRevision, ttlSeconds = 0 } = item
      const isOurs = key.startsWith(prefix) && key !== markerKey(prefix) && key.isWellFormed()
      if (!isOurs) throw wrong(key, `the key does not belong to an object under ${prefix}`)
      if (createRevision < 1 || createRevision > revision || revision > newest) {
        throw wrong(key, `it is of revision ${revision}, made at ${createRevision}, in a backup of revision ${newest}`)
      }
      if (ttlSeconds > MOST_TTL_SECONDS) throw wrong(key, `it expires in ${ttlSeconds} seconds`)
      accepts(item)
    }
    yield page
  }
}

function wrong(key: string, why: string): BackupError {
  return new BackupError(`it is damaged: ${key}: ${why}`)
}
