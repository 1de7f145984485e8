// Waiting that a signal ends with its own reason, as callers of Node's and the web's functions are used to.
import { setTimeout } from 'node:timers/promises'
import { cancellable } from '../lib/cancellable.ts'

/** A signal that never fires, for those who were given none. */
export const NEVER: AbortSignal = new AbortController().signal

/** Rejects with the reason of the signal when that fires. */
export async function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await setTimeout(milliseconds, undefined, { signal })
  } catch {
    throw signal.reason
  }
}

/** Settles as `work` does, or rejects with the reason of the signal as soon as that fires. */
export async function settled<T>(work: Promise<T>, signal: AbortSignal = NEVER): Promise<T> {
  try {
    return await cancellable(work, signal)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw error
  }
}
