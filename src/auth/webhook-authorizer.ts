// The Webhook authorizer (P-105, P-172, P-175). Responses are cached. If the webhook fails, its failure policy decides between no opinion
// and a denial. The decision always has the problem.
import { asMap, isTrue, mapOrAbsent, textOrEmpty } from '../api/members.ts'
import type { Value } from '../api/value.ts'
import { BoundedMap } from '../lib/bounded-map.ts'
import { type AccessReviewSpec, reviewSpecOf } from './access-review.ts'
import type { Access, Authorizer, Decision } from './authorizer.ts'
import { askWithRetries, type ReviewOutcome, type ReviewWebhook } from './review-webhook.ts'

/** The webhook gets SubjectAccessReviews. */
export interface WebhookAuthorizerOptions extends ReviewWebhook {
  /** The version of `authorization.k8s.io`. */
  readonly version: 'v1' | 'v1beta1'
  /** The time for which an allowing answer is kept. 0: it is not kept. */
  readonly allowedMs: number
  readonly refusedMs: number
  readonly onFailure: 'no-opinion' | 'deny'
  /** Whether the webhook is called for a request. Absent: always. */
  readonly matches?: (spec: AccessReviewSpec) => ConditionMatch
}

export type ConditionMatch =
  | { readonly kind: 'yes' | 'no' }
  /** A condition could not be evaluated. */
  | { readonly kind: 'broken'; readonly problem: string }

const REMEMBERED = 8_192
/** Answers are kept only if the texts that clients choose are no longer than this. */
const LONGEST_KEPT = 10_000
const NO_OPINION: Decision = { kind: 'no-opinion' }

interface Kept {
  readonly decision: Decision
  readonly untilMs: number
}

export function webhookAuthorizer(options: WebhookAuthorizerOptions): Authorizer {
  const kept = new BoundedMap<string, Kept>(REMEMBERED)
  const { clock, onFailure } = options
  return {
    authorize(access, signal) {
      const spec = reviewSpecOf(access)
      const match = options.matches?.(spec)
      if (match?.kind === 'no') return NO_OPINION
      if (match?.kind === 'broken') return { kind: onFailure, problem: match.problem }
      const key = JSON.stringify(spec)
      const known = kept.get(key)
      if (known !== undefined && clock.now() < known.untilMs) return known.decision
      return ask(options, spec, signal).then((outcome) => {
        if (outcome.kind === 'failed') return { kind: onFailure, problem: outcome.problem }
        const decision = decisionOf(outcome.review)
        const keepMs = decision.kind === 'allow' ? options.allowedMs : options.refusedMs
        if (keepMs > 0 && lengthOf(access) < LONGEST_KEPT) kept.set(key, { decision, untilMs: clock.now() + keepMs })
        return decision
      })
    },
    rulesFor: () => ({
      rules: [],
      incomplete: true,
      problem: 'webhook authorizer does not support user rule resolution',
    }),
  }
}

function ask(options: WebhookAuthorizerOptions, spec: AccessReviewSpec, signal: AbortSignal): Promise<ReviewOutcome> {
  const { groups, ...rest } = spec
  // The older version has the groups in the member `group`.
  const named = groups === undefined ? {} : options.version === 'v1' ? { groups } : { group: groups }
  const review = {
    kind: 'SubjectAccessReview',
    apiVersion: `authorization.k8s.io/${options.version}`,
    metadata: {},
    spec: { ...rest, ...named },
    status: { allowed: false },
  }
  return askWithRetries(options, review, signal)
}

function decisionOf(review: unknown): Decision {
  const status = mapOrAbsent(asMap(review as Value), 'status')
  if (status === undefined)
    return { kind: 'no-opinion', problem: 'the webhook did not answer with a SubjectAccessReview' }
  const [allowed, denied] = [isTrue(status, 'allowed'), isTrue(status, 'denied')]
  const text = textOrEmpty(status, 'reason')
  const reason = text === '' ? {} : { reason: text }
  if (allowed && denied) {
    const problem = 'webhook subject access review returned both allow and deny response'
    return { kind: 'deny', ...reason, problem }
  }
  return { kind: denied ? 'deny' : allowed ? 'allow' : 'no-opinion', ...reason }
}

/** The length of the texts that the client chooses. */
function lengthOf(access: Access): number {
  if (access.kind === 'path') return access.verb.length + access.path.length
  const { namespace = '', verb, group, version, resource, subresource = '', name = '' } = access
  return [namespace, verb, group, version, resource, subresource, name].reduce((sum, text) => sum + text.length, 0)
}
