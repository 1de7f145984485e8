// A kv with a prefix and a transformer: what `get`, `list`, `watch` and `write` on a kv have in common.
import type { KeyValue, Kv } from '../kv/kv.ts'
import { namesOf, typePrefix } from './keys.ts'
import type { StoreMeasures } from './measures.ts'
import type { StoredItem, StoredResource } from './store.ts'
import { itemOf, openValue } from './stored-object.ts'
import type { Content } from './stored-object.ts'
import type { Transformer } from './transformer.ts'

export interface KvObjects {
  readonly kv: Kv
  /** With a slash in front and none behind; may be empty. */
  readonly prefix: string
  readonly transformer: Transformer
  /** Every call to the kv is made through it. */
  readonly measures: StoreMeasures
}

/** The key in the kv that a key relative to its type stands for. */
export function fullKey(objects: KvObjects, resource: StoredResource, key: string): string {
  return `${objects.prefix}/${typePrefix(resource)}${key}`
}

/** An item as it is handed out, with what the next write of it must know. */
export interface Current {
  readonly item: StoredItem
  /** To be written again even if it did not change. */
  readonly stale: boolean
}

/** Undefined: no object can have this key, so it is none of ours. */
export async function readCurrent(
  objects: KvObjects,
  resource: StoredResource,
  found: KeyValue,
): Promise<Current | undefined> {
  const names = namesOf(resource, found.key.slice(fullKey(objects, resource, '').length))
  if (names === undefined) return undefined
  const opened = openValue(objects.transformer, found.value, found.key)
  const content: Content = opened instanceof Promise ? await opened : opened
  return {
    item: itemOf(names, found.revision, content),
    stale: content.kind === 'readable' && content.stale,
  }
}

/** Many at once; what is none of ours is left out. Waits only where the transformer has to. */
export async function readItems(
  objects: KvObjects,
  resource: StoredResource,
  found: readonly KeyValue[],
): Promise<StoredItem[]> {
  const cut = fullKey(objects, resource, '').length
  const items: StoredItem[] = []
  for (const { key, value, revision } of found) {
    const names = namesOf(resource, key.slice(cut))
    if (names === undefined) continue
    const opened = openValue(objects.transformer, value, key)
    items.push(itemOf(names, revision, opened instanceof Promise ? await opened : opened))
  }
  return items
}
