// Checks the limits of keys, values and revisions. All embedded engines have the same limits. The limit of values is etcd's.
import { checkCommit, checkKey, type Commit, KvError, type Put, type Revision } from '../kv.ts'
import { keyToBytes } from '../key-text.ts'

/** LMDB takes keys of up to 1978 bytes. The rest is for the revision after a key. A zero byte counts twice, since it is escaped. */
export const MAX_KEY_BYTES = 1900

/** etcd's default limit for a request. */
const MAX_VALUE_BYTES = 1.5 * 1024 * 1024

export function checkWrites(commit: Commit): void {
  checkCommit(commit)
  for (const { key, value } of commit.writes) if (value !== undefined) checkSize({ key, value })
}

export function checkPut(request: Pick<Put, 'key' | 'value'>): void {
  checkKey(request.key)
  checkSize(request)
}

export function checkSize(request: Pick<Put, 'key' | 'value'>): void {
  if (isTooLong(request.key)) throw new KvError('too-large', `key is longer than ${MAX_KEY_BYTES} bytes`)
  if (request.value.length > MAX_VALUE_BYTES) {
    throw new KvError('too-large', `value is ${request.value.length} bytes, more than ${MAX_VALUE_BYTES}`)
  }
}

export function isTooLong(key: string): boolean {
  // A UTF-16 code unit has at most three bytes in UTF-8, so most keys need not be measured.
  if (key.length * 3 <= MAX_KEY_BYTES) return false
  return keyToBytes(key).length + key.split('\0').length - 1 > MAX_KEY_BYTES
}

/** Throws if the state at the end of revision `at` is not available. */
export function checkReadable(at: Revision, kept: { readonly oldest: Revision; readonly newest: Revision }): void {
  if (at > kept.newest) throw new KvError('future', `revision ${at} has not happened yet`)
  if (at < kept.oldest)
    throw new KvError('compacted', `revision ${at} has been compacted`, { compactRevision: kept.oldest })
}
