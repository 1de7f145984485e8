// The objects that tokens are bound to, from the watch cache. Each version is parsed once: a token that is used again costs a
// lookup.
import { metaText } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import type { StoredObject } from '../api/read.ts'
import type { LiveObject, LiveObjects, ObjectName } from '../auth/live-objects.ts'
import type { WatchCache } from '../cache/cache.ts'
import { getOrInsert } from '../lib/map-entries.ts'
import { servedResource } from '../registry/served-resource.ts'
import type { ResourceTable } from '../registry/registry.ts'
import type { ObjectKey, StoredItem } from '../store/store.ts'

/** Both parameters are functions, because the server makes the cache and the table after this call. */
export function liveObjects(cache: () => WatchCache, table: () => ResourceTable): LiveObjects {
  const known = new WeakMap<StoredItem, LiveObject>()
  const keyOf = ({ kind, namespace, name }: ObjectName): ObjectKey => ({
    resource: servedResource(table(), kind).stored,
    namespace,
    name,
  })
  const liveOf = (item: StoredItem | undefined): LiveObject | undefined =>
    item?.kind === 'object' ? getOrInsert(known, item, () => new LiveItem(item)) : undefined
  return {
    peek: (name) => liveOf(cache().peek(keyOf(name))),
    find: async (name, signal) => liveOf((await cache().get(keyOf(name), { kind: 'latest' }, signal)).item),
  }
}

/** Keeps the uid, which is all that most uses need. The whole object is parsed again at its first use, and then kept. */
class LiveItem implements LiveObject {
  readonly uid: string
  readonly deletedAtMs: number | undefined
  readonly #item: StoredObject
  #object: ApiObject | undefined

  constructor(item: StoredObject) {
    const object = item.object()
    const deleted = metaText(object, 'deletionTimestamp')
    this.uid = metaText(object, 'uid')
    this.deletedAtMs = deleted === '' ? undefined : Date.parse(deleted)
    this.#item = item
  }

  get object(): ApiObject {
    return (this.#object ??= this.#item.object())
  }
}
