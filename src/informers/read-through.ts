// Reads objects through the watch cache for admission. Each version of an object is parsed once: every write reads its namespace.
import type { ObjectReader, SampleReader } from '../admission/object-reader.ts'
import type { ApiObject } from '../api/object.ts'
import type { StoredObject } from '../api/read.ts'
import type { Store, StoredResource } from '../store/store.ts'

export function readThrough(store: Store, resource: StoredResource): ObjectReader & SampleReader {
  const parsed = new WeakMap<StoredObject, ApiObject>()
  const parse = (item: StoredObject): ApiObject => {
    let known = parsed.get(item)
    if (known === undefined) parsed.set(item, (known = item.object()))
    return known
  }
  const get = async (
    at: { readonly kind: 'any' | 'latest' },
    [namespace, name]: readonly [string, string],
    signal: AbortSignal,
  ): Promise<ApiObject | undefined> => {
    const { item } = await store.get({ resource, namespace, name }, at, signal)
    return item?.kind === 'object' ? parse(item) : undefined
  }
  const some = async (
    namespace: string,
    { most, read }: { readonly most?: number; readonly read: (item: StoredObject) => ApiObject },
    signal: AbortSignal,
  ): Promise<{ objects: readonly ApiObject[]; total: number }> => {
    const within = { ...(namespace === '' ? {} : { namespace }), ...(most === undefined ? {} : { limit: most }) }
    const page = await store.list({ resource, ...within, at: { kind: 'any' }, skipUnreadable: true }, signal)
    const objects: ApiObject[] = []
    for await (const batch of page.batches) objects.push(...batch.map(read))
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
      some(namespace, { read: parse }, signal).then(({ objects }) => objects),
    // Pods are many, and asked for rarely: what was parsed of them is not kept.
    listSome: (namespace, most, signal) => some(namespace, { most, read: (item) => item.object() }, signal),
  }
}
