// Decides how a read is answered: a pure function of the request and the contents of the cache. It implements the three tables of the
// specification (D8, D9, D18, D28). After a wait the plan is made again.
import type { ListAt } from '../api/read.ts'

export interface CacheState {
  readonly isReady: boolean
  readonly revision: number
  /** The revision of the oldest state of the type. Undefined: past states are not served from memory. */
  readonly oldestSnapshot: number | undefined
}

export type MemoryPlan =
  /** Answer from the newest state. */
  | { readonly kind: 'current' }
  /** Answer from the state at the end of this revision. */
  | { readonly kind: 'snapshot'; readonly revision: number }

export type ReadPlan =
  | MemoryPlan
  /** Wait for the storage's newest revision, then answer from memory. If the wait takes too long, the storage answers. */
  | { readonly kind: 'freshen' }
  /** Wait for this revision, then plan again. If the wait takes too long, the requested version is too large. */
  | { readonly kind: 'wait'; readonly revision: number }
  | { readonly kind: 'storage' }

/** Whether a past state may answer the read. */
export function isPast({ kind }: ListAt): boolean {
  return kind === 'exact' || kind === 'continuation'
}

export function planRead(at: ListAt, state: CacheState): ReadPlan {
  if (!state.isReady) return { kind: 'storage' }
  switch (at.kind) {
    case 'latest':
      return { kind: 'freshen' }
    case 'any':
      return { kind: 'current' }
    case 'notOlderThan':
      return at.revision > state.revision ? { kind: 'wait', revision: at.revision } : { kind: 'current' }
    case 'exact':
      return planPast(at.revision, state)
    case 'continuation':
      return at.position.revision === undefined ? { kind: 'freshen' } : planPast(at.position.revision, state)
  }
}

function planPast(revision: number, state: CacheState): ReadPlan {
  if (revision > state.revision) return { kind: 'wait', revision }
  if (state.oldestSnapshot === undefined || revision < state.oldestSnapshot) return { kind: 'storage' }
  return { kind: 'snapshot', revision }
}
