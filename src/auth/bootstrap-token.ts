// Authenticates bootstrap tokens, with which nodes join a cluster. Secrets of kube-system hold the tokens, each with its own expiration
// (P-038).
import { timingSafeEqual } from 'node:crypto'
import { mapOrEmpty, textOrEmpty } from '../api/members.ts'
import type { User } from '../api/user.ts'
import { own } from '../api/value.ts'
import type { Clock } from '../lib/clock.ts'
import type { TokenAnswer, TokenMethod } from './bearer-tokens.ts'
import type { LiveObject, LiveObjects } from './live-objects.ts'

const FORM = /^([a-z0-9]{6})\.([a-z0-9]{16})$/
const GROUP = 'system:bootstrappers'
const EXTRA_GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/
const UNKNOWN: TokenAnswer = { kind: 'unknown' }

export function bootstrapTokens(live: LiveObjects, clock: Clock): TokenMethod {
  return ({ token }, signal) => {
    const [, id, secret] = FORM.exec(token) ?? []
    if (id === undefined || secret === undefined) return UNKNOWN
    const name = { kind: 'secrets', namespace: 'kube-system', name: `bootstrap-token-${id}` } as const
    const answerFor = (kept: LiveObject | undefined): TokenAnswer => {
      const user = kept === undefined ? undefined : userOf(kept, { id, secret, nowMs: clock.now() })
      return user === undefined ? UNKNOWN : { kind: 'user', user }
    }
    const atHand = answerFor(live.peek(name))
    // Another replica may have made the token a moment ago.
    return atHand.kind === 'user' ? atHand : live.find(name, signal).then(answerFor)
  }
}

interface Shown {
  readonly id: string
  readonly secret: string
  readonly nowMs: number
}

function userOf({ object, deletedAtMs }: LiveObject, { id, secret, nowMs }: Shown): User | undefined {
  if (deletedAtMs !== undefined || own(object, 'type') !== 'bootstrap.kubernetes.io/token') return undefined
  const data = mapOrEmpty(object, 'data')
  const text = (key: string): string => Buffer.from(textOrEmpty(data, key), 'base64').toString('utf8')
  if (text('token-id') !== id || !isSame(text('token-secret'), secret)) return undefined
  const end = text('expiration')
  if (end !== '' && !(parseTime(end) > nowMs)) return undefined
  if (text('usage-bootstrap-authentication') !== 'true') return undefined
  const more = text('auth-extra-groups')
  const groups = more === '' ? [] : [...new Set(more.split(',').map((group) => group.trim()))].sort()
  if (groups.some((group) => !EXTRA_GROUP.test(group))) return undefined
  return { name: `system:bootstrap:${id}`, uid: undefined, groups: [GROUP, ...groups], extra: {} }
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** NaN if the text is not a time in RFC 3339. The token then counts as expired. */
function parseTime(text: string): number {
  return /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN
}
