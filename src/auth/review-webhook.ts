// Calls webhooks that authenticate or authorize, with retries.
import type { Clock } from '../lib/clock.ts'
import { pause } from '../lib/pause.ts'

export type ReviewOutcome =
  | { readonly kind: 'answer'; readonly review: unknown }
  /** `mayRetry`: another attempt may succeed. */
  | { readonly kind: 'failed'; readonly problem: string; readonly mayRetry: boolean }

export interface ReviewWebhook {
  /** Sends a review. Throws nothing but `CancelledError`. */
  readonly ask: (review: object, signal: AbortSignal) => Promise<ReviewOutcome>
  readonly clock: Clock
  /** The pause before the first retry. It grows with each further retry. */
  readonly firstPauseMs?: number
}

const ATTEMPTS = 5
const FIRST_PAUSE_MS = 500
const PAUSE_FACTOR = 1.5

/** The answer, or the last failure. Throws nothing but `CancelledError`. */
export async function askWithRetries(
  { ask, clock, firstPauseMs = FIRST_PAUSE_MS }: ReviewWebhook,
  review: object,
  signal: AbortSignal,
): Promise<ReviewOutcome> {
  let pauseMs = firstPauseMs
  for (let attempt = 1; ; attempt++) {
    const outcome = await ask(review, signal)
    if (outcome.kind === 'answer' || !outcome.mayRetry || attempt === ATTEMPTS) return outcome
    if (!(await pause(clock, pauseMs, signal))) return outcome
    pauseMs *= PAUSE_FACTOR
  }
}
