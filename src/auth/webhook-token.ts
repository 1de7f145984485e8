// Authenticates bearer tokens by a webhook. Responses are cached, and concurrent requests with the same token share one call. If the
// webhook fails, the token is refused, and the request is never anonymous (P-075).
import type { User } from '../api/user.ts'
import { isList, own, type Value, type ValueMap } from '../api/value.ts'
import { asMap, isTrue, mapOrAbsent, mapOrEmpty, textOrEmpty, textsOnly } from '../api/members.ts'
import { BoundedMap } from '../lib/bounded-map.ts'
import type { PresentedToken, TokenAnswer, TokenMethod } from './bearer-tokens.ts'
import { askWithRetries, type ReviewWebhook } from './review-webhook.ts'

/** The webhook gets TokenReviews. */
export interface WebhookTokenOptions extends ReviewWebhook {
  /** The version of `authentication.k8s.io`. */
  readonly version: 'v1' | 'v1beta1'
  readonly keepMs: number
  /** The audiences of an answer that names no audience. */
  readonly apiAudiences: readonly string[]
}

const REMEMBERED = 8_192
const ASK_TIMEOUT_MS = 30_000
const UNKNOWN: TokenAnswer = { kind: 'unknown' }

interface Kept {
  readonly answer: TokenAnswer
  readonly untilMs: number
}

export function webhookTokens(options: WebhookTokenOptions): TokenMethod {
  const kept = new BoundedMap<string, Kept>(REMEMBERED)
  const underWay = new Map<string, Promise<TokenAnswer>>()
  const { clock } = options
  return (presented) => {
    const key = JSON.stringify([presented.digest, ...presented.audiences])
    const known = kept.get(key)
    if (known !== undefined && clock.now() < known.untilMs) return known.answer
    const asked = underWay.get(key)
    if (asked !== undefined) return asked
    // The call does not use the signal of this request: other requests may wait for the same answer.
    const asking = reviewed(options, presented, AbortSignal.timeout(ASK_TIMEOUT_MS))
      .then((answer) => {
        if (answer.kind !== 'refused') kept.set(key, { answer, untilMs: clock.now() + options.keepMs })
        return answer
      })
      .finally(() => underWay.delete(key))
    underWay.set(key, asking)
    return asking
  }
}

async function reviewed(
  options: WebhookTokenOptions,
  { token, audiences }: PresentedToken,
  signal: AbortSignal,
): Promise<TokenAnswer> {
  const review = {
    kind: 'TokenReview',
    apiVersion: `authentication.k8s.io/${options.version}`,
    metadata: {},
    spec: { token, audiences },
    status: { user: {} },
  }
  try {
    const outcome = await askWithRetries(options, review, signal)
    if (outcome.kind === 'answer') return answerOf(outcome.review, audiences, options.apiAudiences)
    return { kind: 'refused', problem: outcome.problem }
  } catch (error) {
    return { kind: 'refused', problem: error instanceof Error ? error.message : String(error) }
  }
}

function answerOf(review: unknown, wanted: readonly string[], apiAudiences: readonly string[]): TokenAnswer {
  const status = mapOrAbsent(asMap(review as Value), 'status')
  if (status === undefined || !textListsOf(status).every(isTextList)) {
    return { kind: 'refused', problem: 'the webhook did not answer with a TokenReview' }
  }
  const named = textsOnly(status, 'audiences')
  const audiences = wanted.filter((audience) => (named.length === 0 ? apiAudiences : named).includes(audience))
  if (wanted.length > 0 && audiences.length === 0) return UNKNOWN
  if (!isTrue(status, 'authenticated')) {
    const problem = textOrEmpty(status, 'error')
    return problem === '' ? UNKNOWN : { kind: 'refused', problem }
  }
  return { kind: 'user', user: userOf(mapOrEmpty(status, 'user')), audiences }
}

function textListsOf(status: ValueMap): readonly Value[] {
  const user = mapOrEmpty(status, 'user')
  const extra = Object.values(mapOrEmpty(user, 'extra'))
  return [own(status, 'audiences') ?? null, own(user, 'groups') ?? null, ...extra]
}

function isTextList(value: Value): boolean {
  return value === null || (isList(value) && value.every((item) => typeof item === 'string'))
}

function userOf(user: ValueMap): User {
  const [uid, extra] = [textOrEmpty(user, 'uid'), mapOrEmpty(user, 'extra')]
  return {
    name: textOrEmpty(user, 'username'),
    uid: uid === '' ? undefined : uid,
    groups: textsOnly(user, 'groups'),
    extra: Object.fromEntries(Object.keys(extra).map((key) => [key, textsOnly(extra, key)])),
  }
}
