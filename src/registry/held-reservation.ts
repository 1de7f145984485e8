// What a write has reserved beside its object, until it is known whether the object was stored.
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { ApiError } from '../api/status.ts'
import type { ApiObject } from '../api/object.ts'
import type { RegistryParts, Reservation, Resource, WriteContext } from './registry.ts'

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

/** Releases what a removed object had reserved. */
export async function release(
  { strategy }: Resource,
  stored: ApiObject,
  { parts, context }: { readonly parts: RegistryParts; readonly context: WriteContext },
): Promise<void> {
  if (context.dryRun) return
  const reservation = await strategy.reserve?.({ object: undefined, stored }, context, parts)
  await reservation?.settle(true)
}
