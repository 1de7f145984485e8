// The versions of an object that the storage still has: read one by one, each as of the revision before the next newer one.
import { type KeyValue, KvError } from '../kv/kv.ts'
import { translate } from './errors.ts'
import { keyInType } from './keys.ts'
import { fullKey, type KvObjects, readItems } from './kv-objects.ts'
import type { ObjectKey, StoredItem } from './store.ts'

export interface History {
  /** The newest first; none where there is no such object. */
  readonly items: readonly StoredItem[]
  /** There were older ones, which are compacted. */
  readonly isCut: boolean
}

/** At most `limit` versions, and none from before the object was last created. */
export async function readHistory(
  objects: KvObjects,
  { key, limit }: { readonly key: ObjectKey; readonly limit: number },
  signal: AbortSignal,
): Promise<History> {
  const { resource } = key
  const inType = keyInType(key)
  if (inType === undefined) return { items: [], isCut: false }
  const kvKey = fullKey(objects, resource, inType)
  const read = async (options: { readonly at?: number }): Promise<KeyValue | undefined> =>
    (await objects.measures.time('get', resource, () => objects.kv.get(kvKey, options, signal))).item
  const found: KeyValue[] = []
  let isCut = false
  try {
    let version = await read({})
    while (version !== undefined) {
      found.push(version)
      const { revision, createRevision } = version
      if (found.length === limit || revision === createRevision) break
      version = await read({ at: revision - 1 })
    }
  } catch (error) {
    isCut = error instanceof KvError && error.code === 'compacted'
    if (!isCut) throw translate(error, { verb: 'get', resource })
  }
  return { items: await readItems(objects, resource, found), isCut }
}
