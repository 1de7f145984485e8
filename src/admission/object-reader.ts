// What plugins read of other objects: from the cache, where a question costs next to nothing, and from the storage where the
// cache may not know yet.
import type { ApiObject } from '../api/object.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'

/** Reads the objects of one resource. The namespace is empty for what belongs to the whole cluster. */
export interface ObjectReader {
  /** What the cache has; undefined where it has none. */
  find(namespace: string, name: string, signal: AbortSignal): MaybePromise<ApiObject | undefined>
  /** As of now. */
  findLatest(namespace: string, name: string, signal: AbortSignal): Promise<ApiObject | undefined>
  /** Those of a namespace that the cache has; with an empty namespace all. */
  list(namespace: string, signal: AbortSignal): MaybePromise<readonly ApiObject[]>
}

/** From the cache, and from the storage where the cache has none: it may have been made a moment ago. */
export function findAnywhere(
  reader: ObjectReader,
  [namespace, name]: readonly [namespace: string, name: string],
  signal: AbortSignal,
): MaybePromise<ApiObject | undefined> {
  return whenKnown(reader.find(namespace, name, signal), (found) => found ?? reader.findLatest(namespace, name, signal))
}

/** Reads a few of very many objects. */
export interface SampleReader {
  /** At most so many of a namespace, and how many there are. */
  listSome(
    namespace: string,
    most: number,
    signal: AbortSignal,
  ): Promise<{ readonly objects: readonly ApiObject[]; readonly total: number }>
}
