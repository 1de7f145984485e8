// Removes the managed fields from objects, for clients that do not want these fields (`drop` in Accept). They are cut out of the canonical
// JSON without parsing it.
import type { ValueMap } from '../api/value.ts'
import { COMMA } from './json-bytes.ts'
import { findMember } from './json-scan.ts'
import type { ListDocument, ListItem } from './list-json.ts'
import { metadataSpan } from './partial-metadata.ts'
import { parseStoredJson } from './stored-json.ts'

/** The only field that the parameter `drop` can remove. The parameter separates fields by `+`, and other fields are ignored. */
export const MANAGED_FIELDS = 'metadata.managedFields'

const MEMBER = 'managedFields'
const KEY_LENGTH = Buffer.byteLength(`"${MEMBER}":`)

/** The item without its managed fields, or the item itself if it has no managed fields. */
export function withoutManagedFields(item: ListItem): ListItem {
  const bytes = cutOut(item.bytes)
  return bytes === undefined ? item : { bytes, object: () => parseStoredJson(bytes) as ValueMap }
}

export async function* allWithoutManagedFields(batches: ListDocument['items']): AsyncGenerator<readonly ListItem[]> {
  for await (const batch of batches) yield batch.map(withoutManagedFields)
}

function cutOut(bytes: Buffer): Buffer | undefined {
  const metadata = metadataSpan(bytes)
  const value = metadata && findMember(bytes, metadata.start, MEMBER)
  if (value === undefined) return undefined
  const start = value.start - KEY_LENGTH
  // One of the commas beside the member is dropped too.
  const isBehindComma = bytes[start - 1] === COMMA
  const end = !isBehindComma && bytes[value.end] === COMMA ? value.end + 1 : value.end
  return Buffer.concat([bytes.subarray(0, isBehindComma ? start - 1 : start), bytes.subarray(end)])
}
