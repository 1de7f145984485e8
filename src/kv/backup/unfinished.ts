// The key that marks a store while it is being restored. A restore writes this key first and deletes it last.
import type { CopiedItem, StoreCopy } from '../copy.ts'
import type { Kv } from '../kv.ts'
import { BackupError } from './backup-error.ts'

/** `prefix` ends in `/`. */
export function markerKey(prefix: string): string {
  return `${prefix}quarterdeck_restore`
}

/** The time when a running or interrupted restore began. Undefined: the stored data is complete. */
export async function unfinishedSince(kv: Kv, prefix: string, signal: AbortSignal): Promise<string | undefined> {
  return (await kv.get(markerKey(prefix), {}, signal)).item?.value.toString()
}

/** The pages of a copy. Throws if the copied store is not complete. */
export async function* wholePages(
  copy: StoreCopy,
  prefix: string,
  signal: AbortSignal,
): AsyncGenerator<readonly CopiedItem[]> {
  const marker = markerKey(prefix)
  for await (const page of copy.pages(signal)) {
    if (page.some(({ key }) => key === marker)) throw new BackupError('a restore into the store was not finished')
    yield page
  }
}
