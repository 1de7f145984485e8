// The reservation of a write, until it is known whether the object was stored, and the conditions of admission for storing it.
import type { WriteCondition } from '../api/write-condition.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { ApiError } from '../api/status.ts'
import type { ApiObject } from '../api/object.ts'
import type { RegistryParts, Reservation, ReserveRequest, Resource, WriteContext } from './registry.ts'

export class HeldReservation {
  /** The conditions of the newest attempt. */
  onlyIf: readonly WriteCondition[] | undefined
  #reservation: Reservation | undefined

  hold(reservation: Reservation | undefined): void {
    this.#reservation = reservation
  }

  settle(stored: boolean): MaybePromise<void> {
    const reservation = this.#reservation
    this.#reservation = undefined
    return reservation?.settle(stored)
  }

  /** Settles after a failed write. A refused write was not stored; a write with a lost outcome may have been. */
  async settleFailed(error: unknown): Promise<void> {
    if (error instanceof ApiError && error.code < 500) await this.settle(false)
  }
}

interface Reserving {
  readonly parts: RegistryParts
  readonly context: WriteContext
}

/**
 * Makes the reservation of the object. Without an object, releases the reservation of the stored object. In a batch, the reservation is
 * settled with the batch.
 */
export async function reserve(
  { strategy }: Resource,
  change: ReserveRequest,
  { parts, context }: Reserving,
): Promise<Reservation | undefined> {
  const { batch } = context
  const reservation = await strategy.reserve?.(change, context, batch?.registry ?? parts)
  if (batch === undefined || reservation === undefined) return reservation
  const settle = async (isStored: boolean): Promise<void> => {
    if (!isStored) return reservation.settle(false)
    batch.atEnd(reservation.settle)
  }
  return { object: reservation.object, settle }
}

/** Releases the reservations of a removed object. */
export async function release(resource: Resource, stored: ApiObject, { parts, context }: Reserving): Promise<void> {
  if (context.dryRun) return
  const reservation = await reserve(resource, { object: undefined, stored }, { parts, context })
  await reservation?.settle(true)
}
