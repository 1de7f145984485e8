// Decides whether an object with owners is kept, released or deleted, by the state of its owners (W-357 to W-366). Pure functions.
import type { Propagation } from '../registry/registry.ts'
import { FOREGROUND, type GraphNode, ORPHAN, type OwnerReference } from './ownership-graph.ts'

/** The state of an owner that could be looked up. */
export type OwnerState =
  /** The owner exists and does not wait for its dependents, whether it is being deleted or not. */
  | 'solid'
  /** The owner is being deleted in the foreground, and waits for its dependents. */
  | 'waiting'
  | 'absent'

export interface KnownOwner {
  readonly reference: OwnerReference
  readonly state: OwnerState
}

export type DependentDecision =
  | { readonly kind: 'stays' }
  /** The object has another owner. It loses the references to waiting and absent owners, because waiting owners would wait for ever. */
  | { readonly kind: 'losesOwners'; readonly owners: readonly OwnerReference[] }
  /** The object may be part of a circle of waiting objects: before its deletion it must stop blocking its owners. */
  | { readonly kind: 'stopsBlocking' }
  | { readonly kind: 'goes'; readonly propagation: Propagation }

/** `dependents` are the object's own dependents. */
export function decideDependent(
  { owners: references, finalizers }: Pick<GraphNode, 'owners' | 'finalizers'>,
  owners: readonly KnownOwner[],
  dependents: readonly Pick<GraphNode, 'deletesDependents'>[],
): DependentDecision {
  const lost = owners.filter(({ state }) => state !== 'solid').map(({ reference }) => reference)
  if (lost.length < owners.length) return lost.length === 0 ? { kind: 'stays' } : { kind: 'losesOwners', owners: lost }
  if (dependents.length > 0 && owners.some(({ state }) => state === 'waiting')) {
    const mayBeCircle = dependents.some(({ deletesDependents }) => deletesDependents)
    if (mayBeCircle && references.some(({ blocksOwner }) => blocksOwner)) return { kind: 'stopsBlocking' }
    return { kind: 'goes', propagation: 'Foreground' }
  }
  return { kind: 'goes', propagation: asItsFinalizersSay(finalizers) }
}

function asItsFinalizersSay(finalizers: readonly string[]): Propagation {
  if (finalizers.includes(ORPHAN)) return 'Orphan'
  return finalizers.includes(FOREGROUND) ? 'Foreground' : 'Background'
}
