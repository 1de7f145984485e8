// The objects that tokens are issued for or bound to, and that may be deleted meanwhile.
import type { ApiObject } from '../api/object.ts'

export type LiveKind = 'serviceaccounts' | 'secrets' | 'pods' | 'nodes'

export interface LiveObject {
  readonly uid: string
  /** The deletion timestamp in milliseconds since 1970; undefined: not terminating. */
  readonly deletedAtMs: number | undefined
  /** All of it, read where it is needed. */
  readonly object: ApiObject
}

export interface ObjectName {
  readonly kind: LiveKind
  /** Empty for nodes. */
  readonly namespace: string
  readonly name: string
}

export interface LiveObjects {
  /** What is at hand, which may be a moment old; undefined also where nothing is known yet. */
  peek(name: ObjectName): LiveObject | undefined
  /** What is there now. */
  find(name: ObjectName, signal: AbortSignal): Promise<LiveObject | undefined>
}
