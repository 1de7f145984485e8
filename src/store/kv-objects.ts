// A `Kv` (`kv/kv.ts`) with a prefix and a transformer: the common part of `get`, `list`, `watch` and `write` on it.
import { setImmediate } from 'node:timers/promises'
import type { WriteCondition } from '../api/write-condition.ts'
import type { Expectation, KeyValue, Kv } from '../kv/kv.ts'
import { namesOf, typePrefix } from './keys.ts'
import type { StoreMeasures } from './measures.ts'
import { OPENED_AT_ONCE } from './step-size.ts'
import type { StoredItem, StoredResource } from './store.ts'
import { type Content, itemOf, type Opener, openValue } from './stored-object.ts'

/** The prefix begins with a slash and does not end in a slash. It may be empty. */
export interface KvObjects extends Opener {
  readonly kv: Kv
  /** Times every call to the kv. */
  readonly measures: StoreMeasures
}

/** `key` is relative to the type. */
export function fullKey(objects: KvObjects, resource: StoredResource, key: string): string {
  return `${objects.prefix}/${typePrefix(resource)}${key}`
}

export function expectationOf(objects: KvObjects, { key, notAfter }: WriteCondition): Expectation {
  return { key: `${objects.prefix}/${key}`, notAfter }
}

export interface Current {
  readonly item: StoredItem
  /** Whether the object must be written even without a change. */
  readonly stale: boolean
  /**
   * Whether kube-apiserver has written the object, in an encoding or a version of its own. Absent: it has not, or the writer is unknown.
   */
  readonly foreign?: boolean
}

/** Undefined: no object can have this key. */
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
    foreign: content.kind === 'readable' && content.foreign === true,
  }
}

/** Opens many values. Keys that belong to no object are left out. Waits for the transformer, and gives other work a turn now and then. */
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
