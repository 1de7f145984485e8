// The objects that tokens are issued for or bound to, and that may be deleted meanwhile.
import type { ApiObject } from '../api/object.ts'

export type LiveKind = 'serviceaccounts' | 'secrets' | 'pods' | 'nodes'

export interface LiveObject {
  readonly uid: string
  /** The deletion timestamp in milliseconds since 1970. Undefined: the object is not being deleted. */
  readonly deletedAtMs: number | undefined
  /** Reads the whole object. */
  readonly object: ApiObject
}

export interface ObjectName {
  readonly kind: LiveKind
  /** Empty for nodes. */
  readonly namespace: string
  readonly name: string
}

export interface LiveObjects {
  /** The cached object, which may be slightly out of date. Undefined: it is not cached, or the cache is not filled yet. */
  peek(name: ObjectName): LiveObject | undefined
  /** The stored object. */
  find(name: ObjectName, signal: AbortSignal): Promise<LiveObject | undefined>
}
