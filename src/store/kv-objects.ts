// A kv with a prefix and a transformer: what `get`, `list`, `watch` and `write` on a kv have in common.
import { setImmediate } from 'node:timers/promises'
import type { KeyValue, Kv } from '../kv/kv.ts'
import { namesOf, typePrefix } from './keys.ts'
import type { StoreMeasures } from './measures.ts'
import { OPENED_AT_ONCE } from './step-size.ts'
import type { StoredItem, StoredResource } from './store.ts'
import { type Content, itemOf, type Opener, openValue } from './stored-object.ts'

/** The prefix has a slash in front and none behind; it may be empty. */
export interface KvObjects extends Opener {
  readonly kv: Kv
  /** Every call to the kv is made through it. */
  readonly measures: StoreMeasures
}

/** `key` is relative to the type. */
export function fullKey(objects: KvObjects, resource: StoredResource, key: string): string {
  return `${objects.prefix}/${typePrefix(resource)}${key}`
}

export interface Current {
  readonly item: StoredItem
  /** To be written even if it did not change. */
  readonly stale: boolean
}

/** Undefined where no object can have this key. */
export async function readCurrent(
  objects: KvObjects,
  resource: StoredResource,
  found: KeyValue,
): Promise<Current | undefined> {
  const names = namesOf(resource, found.key.slice(fullKey(objects, resource, '').length))
  if (names === undefined) return undefined
  const opened = openValue(objects, found.value, found.key)
  const content: Content = opened instanceof Promise ? await opened : opened
  return {
    item: itemOf(names, found.revision, content),
    stale: content.kind === 'readable' && content.stale,
  }
}

/** Many at once; what is none of ours is left out. Waits where the transformer has to, and lets others have a turn. */
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
    const opened = openValue(objects, value, key)
    items.push(itemOf(names, revision, opened instanceof Promise ? await opened : opened))
    if (items.length % OPENED_AT_ONCE === 0) await setImmediate()
  }
  return items
}
