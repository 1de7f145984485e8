// A kv with a prefix and a transformer: the common part of `get`, `list`, `watch` and `write` on a kv.
import { setImmediate } from 'node:timers/promises'
import type { WriteCondition } from '../api/write-condition.ts'
import type { Expectation, KeyValue, Kv } from '../kv/kv.ts'
import { namesOf, typePrefix } from './keys.ts'
import type { StoreMeasures } from './measures.ts'
import { OPENED_AT_ONCE } from './step-size.ts'
import type { StoredItem, StoredResource } from './store.ts'
import { type Content, itemOf, type Opener, openValue } from './stored-object.ts'

/** The prefix begins with a slash and does not end in one. It may be empty. */
export interface KvObjects extends Opener {
  readonly kv: Kv
  /** It times every call to the kv. */
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
  /** Must be written even without a change. */
  readonly stale: boolean
  /** kube-apiserver has written it, in an encoding or a version of its own. Absent: it has not, or it is unknown. */
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

/** Opens many values. Keys that belong to no object are left out. It waits for the transformer, and lets other work have a turn. */
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
