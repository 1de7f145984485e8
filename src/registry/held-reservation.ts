// What a write has reserved beside its object, until it is known whether the object was stored.
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { ApiError } from '../api/status.ts'
import type { ApiObject } from '../api/object.ts'
import type { RegistryParts, Reservation, ReserveRequest, Resource, WriteContext } from './registry.ts'

export class HeldReservation {
  #reservation: Reservation | undefined

  hold(reservation: Reservation | undefined): void {
    this.#reservation = reservation
  }

  settle(stored: boolean): MaybePromise<void> {
    const reservation = this.#reservation
    this.#reservation = undefined
    return reservation?.settle(stored)
  }

  /** After a write that failed: one that broke may have been stored all the same, a refusal was not. */
  async settleFailed(error: unknown): Promise<void> {
    if (error instanceof ApiError && error.code < 500) await this.settle(false)
  }
}

interface Reserving {
  readonly parts: RegistryParts
  readonly context: WriteContext
}

/** Reserves what the object needs; without an object, releases what the stored one had. In a batch it is settled with the batch. */
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

/** Releases what a removed object had reserved. */
export async function release(resource: Resource, stored: ApiObject, { parts, context }: Reserving): Promise<void> {
  if (context.dryRun) return
  const reservation = await reserve(resource, { object: undefined, stored }, { parts, context })
  await reservation?.settle(true)
}
