// Reads other objects for plugins: from the cache, or from the storage if the cache may be stale.
import type { ApiObject } from '../api/object.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'

/** Reads the objects of one resource. The namespace is empty for cluster-scoped objects. */
export interface ObjectReader<T extends ApiObject = ApiObject> {
  /** Reads from the cache. */
  find(namespace: string, name: string, signal: AbortSignal): MaybePromise<T | undefined>
  /** Reads from the storage. */
  findLatest(namespace: string, name: string, signal: AbortSignal): Promise<T | undefined>
  /** Lists from the cache. An empty namespace: all namespaces. */
  list(namespace: string, signal: AbortSignal): MaybePromise<readonly T[]>
}

/** Reads from the cache. If the object is not there, reads from the storage, because the object may be new. */
export function findAnywhere<T extends ApiObject>(
  reader: ObjectReader<T>,
  [namespace, name]: readonly [namespace: string, name: string],
  signal: AbortSignal,
): MaybePromise<T | undefined> {
  return whenKnown(reader.find(namespace, name, signal), (found) => found ?? reader.findLatest(namespace, name, signal))
}

/** Reads a sample of many objects. */
export interface SampleReader<T extends ApiObject = ApiObject> {
  /** Returns at most `most` objects of a namespace, and the number of all its objects. */
  listSome(
    namespace: string,
    most: number,
    signal: AbortSignal,
  ): Promise<{ readonly objects: readonly T[]; readonly total: number }>
}
