// What a write has reserved beside its object, until it is known whether the object was stored.
import { ApiError } from '../api/status.ts'
import type { Reservation } from './registry.ts'

export class HeldReservation {
  #reservation: Reservation | undefined

  hold(reservation: Reservation | undefined): void {
    this.#reservation = reservation
  }

  async settle(stored: boolean): Promise<void> {
    const reservation = this.#reservation
    this.#reservation = undefined
    if (reservation !== undefined) await reservation.settle(stored)
  }

  /** After a write that failed: one that broke may have been stored all the same, a refusal was not. */
  async settleFailed(error: unknown): Promise<void> {
    if (error instanceof ApiError && error.code < 500) await this.settle(false)
  }
}
