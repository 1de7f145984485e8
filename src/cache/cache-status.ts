// The size of the cache: for each type, and for all together.
import type { IndexLoad } from './path-index.ts'

export interface TypeLoad {
  readonly objects: number
  readonly bytes: number
  readonly watchers: number
  /** The state of the indexes for queries. */
  readonly indexes: () => readonly IndexLoad[]
}

export interface CacheStatus {
  readonly isReady: boolean
  readonly revision: number
  readonly objects: number
  readonly watchers: number
  /** The bytes of histories and snapshots. */
  readonly pastBytes: number
}
