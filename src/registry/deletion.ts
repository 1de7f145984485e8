// The effect of a delete on a stored object: pure decisions about deletion timestamps, grace periods and finalizers.
import { metaText, withMeta } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { equalValues } from '../api/value.ts'
import { finalizersOf, isTerminating, metaNumber, nextGeneration } from './object-meta.ts'
import type { Strategy, PropagationOptions } from './registry.ts'

const ORPHAN = 'orphan'
const FOREGROUND = 'foregroundDeletion'
const FINALIZERS = { Orphan: ORPHAN, Foreground: FOREGROUND, Background: undefined } as const

export interface DeleteOptions extends PropagationOptions {
  readonly gracePeriodSeconds: number | undefined
  readonly preconditions: { readonly uid: string | undefined; readonly resourceVersion: string | undefined }
  /** Whether to remove an object that cannot be read, even if it has finalizers. */
  readonly ignoreReadErrors: boolean
}

/** The options of the server's own loops: dependents are deleted after the object. */
export const IN_BACKGROUND: DeleteOptions = Object.freeze({
  gracePeriodSeconds: undefined,
  preconditions: { uid: undefined, resourceVersion: undefined },
  orphanDependents: undefined,
  propagationPolicy: 'Background',
  ignoreReadErrors: false,
})

export type Deletion =
  /** Remove the object now. */
  | { readonly kind: 'remove' }
  /** Store the object, because a finalizer or a grace period keeps it. If it is the stored object itself, there is nothing to write. */
  | { readonly kind: 'mark'; readonly object: ApiObject }
  /** Store the object, then remove it: watchers see the update and the deletion (W-329). */
  | { readonly kind: 'markAndRemove'; readonly object: ApiObject }

export function decideDeletion(strategy: Strategy, stored: ApiObject, options: DeleteOptions, now: string): Deletion {
  if (strategy.markOnDelete !== undefined) {
    if (!isTerminating(stored)) return { kind: 'mark', object: strategy.markOnDelete(stored, now, options) }
    if (strategy.isHeldBack(stored)) return { kind: 'mark', object: stored }
  }
  const finalizers = finalizersAfter(strategy, stored, options)
  const graceful = strategy.gracePeriodSeconds === undefined ? undefined : graceAfter(strategy, stored, options, now)
  if (graceful?.pending === true) return { kind: 'mark', object: stored }
  const held = finalizers.length > 0 || strategy.isHeldBack(stored)
  if (graceful !== undefined) {
    const object = withFinalizers(graceful.object, finalizers)
    const ends = (metaNumber(object, 'deletionGracePeriodSeconds') ?? 0) === 0 && !held
    if (!ends) return { kind: 'mark', object }
    return graceful.object === stored ? { kind: 'remove' } : { kind: 'markAndRemove', object }
  }
  if (!held) return { kind: 'remove' }
  return { kind: 'mark', object: withFinalizers(markDeleted(stored, now), finalizers) }
}

function withFinalizers(object: ApiObject, finalizers: readonly string[]): ApiObject {
  if (equalValues(finalizersOf(object), finalizers)) return object
  return withMeta(object, { finalizers: finalizers.length === 0 ? undefined : finalizers })
}

/** Marks the object as of now, without grace. An object that is marked already is not changed. */
function markDeleted(object: ApiObject, now: string): ApiObject {
  if (isTerminating(object)) return object
  return withMeta(object, {
    deletionTimestamp: now,
    deletionGracePeriodSeconds: 0,
    ...bumpedGeneration(object),
  })
}

function bumpedGeneration(object: ApiObject): { generation?: number | bigint } {
  return (metaNumber(object, 'generation') ?? 0) > 0 ? { generation: nextGeneration(object) } : {}
}

/** The client's explicit option counts first, then a finalizer on the object, then the default of the kind (W-322, W-323). */
function finalizersAfter(strategy: Strategy, stored: ApiObject, options: DeleteOptions): readonly string[] {
  const before = finalizersOf(stored)
  if (strategy.defaultPropagation === undefined) return before
  const asked =
    options.propagationPolicy ??
    (options.orphanDependents === undefined ? undefined : options.orphanDependents ? 'Orphan' : 'Background')
  const named = before.includes(ORPHAN) ? 'Orphan' : before.includes(FOREGROUND) ? 'Foreground' : undefined
  const finalizer = FINALIZERS[asked ?? named ?? strategy.defaultPropagation]
  const others = before.filter((other) => other !== ORPHAN && other !== FOREGROUND)
  const after = finalizer === undefined ? others : [...others, finalizer]
  return new Set(after).symmetricDifference(new Set(before)).size === 0 ? before : after
}

interface Grace {
  readonly object: ApiObject
  /** The object is being deleted already, and this deletion does not shorten the grace period. */
  readonly pending: boolean
}

/** A first deletion sets the grace period; a later deletion can only shorten it (W-328 to W-332). */
function graceAfter(strategy: Strategy, stored: ApiObject, options: DeleteOptions, now: string): Grace {
  const asked =
    options.gracePeriodSeconds !== undefined && options.gracePeriodSeconds < 0 ? 1 : options.gracePeriodSeconds
  if (!isTerminating(stored)) {
    const grace = strategy.gracePeriodSeconds!(stored, asked)
    const object = withMeta(stored, {
      deletionTimestamp: secondsAfter(now, grace),
      deletionGracePeriodSeconds: grace,
      ...bumpedGeneration(stored),
    })
    return { object, pending: false }
  }
  const current = metaNumber(stored, 'deletionGracePeriodSeconds') ?? 0
  if (current === 0) return { object: stored, pending: false }
  if (asked === undefined || asked >= current) return { object: stored, pending: true }
  const shortened = secondsAfter(metaText(stored, 'deletionTimestamp'), asked - current)
  const object =
    shortened < now
      ? withMeta(stored, { deletionTimestamp: now, deletionGracePeriodSeconds: asked === 0 ? 0 : 1 })
      : withMeta(stored, { deletionTimestamp: shortened, deletionGracePeriodSeconds: asked })
  return { object, pending: false }
}

/**
 * Adds seconds to a time. Durations are nanoseconds in 64 bits, and wrap around like the reference's. So no grace period leads to an
 * invalid date.
 */
function secondsAfter(time: string, seconds: number): string {
  const duration = BigInt.asIntN(64, BigInt(seconds) * 1_000_000_000n)
  return `${new Date(Date.parse(time) + Number(duration / 1_000_000n)).toISOString().slice(0, 19)}Z`
}
