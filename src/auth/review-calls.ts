// Makes single calls to authentication and authorization webhooks, and tells whether a failure may be retried.
import type { ReviewOutcome } from './review-webhook.ts'
import { answerValue } from '../outgoing/answer.ts'
import type { OutgoingCaller, OutgoingTarget } from '../outgoing/call.ts'
import { OutgoingCallError } from '../outgoing/failure.ts'

const MAX_REVIEW_BYTES = 1024 * 1024
const RETRIED: ReadonlySet<number> = new Set([429, 500, 504])

export function reviewCalls(
  caller: OutgoingCaller,
  target: OutgoingTarget,
  timeoutMs: number,
): (review: object, signal: AbortSignal) => Promise<ReviewOutcome> {
  const call = { userAgent: 'quarterdeck', timeoutMs, tellTimeout: true, maxAnswerBytes: MAX_REVIEW_BYTES }
  return async (review, signal) => {
    try {
      const answer = await caller.call(target, { ...call, body: JSON.stringify(review) }, signal)
      const isBusy = RETRIED.has(answer.status) || (answer.status >= 400 && answer.headers['retry-after'] !== undefined)
      if (isBusy) return { kind: 'failed', problem: `the webhook answered ${answer.status}`, mayRetry: true }
      return { kind: 'answer', review: answerValue(answer) }
    } catch (error) {
      if (!(error instanceof OutgoingCallError)) throw error
      return { kind: 'failed', problem: error.message, mayRetry: error.kind === 'broken' }
    }
  }
}
