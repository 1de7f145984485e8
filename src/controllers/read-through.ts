// Reads objects through the watch cache for admission. Each version of an object is parsed once: every write reads its namespace.
import type { ObjectReader, SampleReader } from '../admission/object-reader.ts'
import type { ApiObject } from '../api/object.ts'
import type { StoredObject } from '../api/read.ts'
import type { Store, StoredResource } from '../store/store.ts'

/** `T` is the type of the kind that the resource stores. */
export function readThrough<T extends ApiObject>(
  store: Store,
  resource: StoredResource,
): ObjectReader<T> & SampleReader<T> {
  const parsed = new WeakMap<StoredObject, T>()
  const read = (item: StoredObject): T => item.object() as T
  const parse = (item: StoredObject): T => {
    let known = parsed.get(item)
    if (known === undefined) parsed.set(item, (known = read(item)))
    return known
  }
  const get = async (
    at: { readonly kind: 'any' | 'latest' },
    [namespace, name]: readonly [string, string],
    signal: AbortSignal,
  ): Promise<T | undefined> => {
    const { item } = await store.get({ resource, namespace, name }, at, signal)
    return item?.kind === 'object' ? parse(item) : undefined
  }
  const some = async (
    namespace: string,
    { most, by }: { readonly most?: number; readonly by: (item: StoredObject) => T },
    signal: AbortSignal,
  ): Promise<{ objects: readonly T[]; total: number }> => {
    const within = { ...(namespace === '' ? {} : { namespace }), ...(most === undefined ? {} : { limit: most }) }
    const page = await store.list({ resource, ...within, at: { kind: 'any' }, skipUnreadable: true }, signal)
    const objects: T[] = []
    for await (const batch of page.batches) objects.push(...batch.map(by))
    return { objects, total: objects.length + (page.remaining ?? 0) }
  }
  return {
    find: (namespace, name, signal) => {
      const item = store.peek?.({ resource, namespace, name })
      return item?.kind === 'object' ? parse(item) : get({ kind: 'any' }, [namespace, name], signal)
    },
    findLatest: (namespace, name, signal) => get({ kind: 'latest' }, [namespace, name], signal),
    list: (namespace, signal) =>
      store.peekAll?.(resource, namespace)?.map(parse) ??
      some(namespace, { by: parse }, signal).then(({ objects }) => objects),
    // There are many pods, and few reads of them: parsed pods are not kept.
    listSome: (namespace, most, signal) => some(namespace, { most, by: read }, signal),
  }
}
