// Legacy service account tokens. They have no expiration, and are valid as long as their secret holds them (P-051, P-052).
import { timingSafeEqual } from 'node:crypto'
import { mapOrEmpty, mapsOnly, textOrEmpty } from '../api/members.ts'
import type { ValueMap } from '../api/value.ts'
import { own } from '../api/value.ts'
import type { TokenAnswer } from './bearer-tokens.ts'
import type { LiveObject } from './live-objects.ts'
import { accountUserName } from './user.ts'
import type { BoundObject, VerifiedToken } from './verified-token.ts'
import { boundUser } from './verified-token.ts'

export const LEGACY_ISSUER = 'kubernetes/serviceaccount'
export const LAST_USED_LABEL = 'kubernetes.io/legacy-token-last-used'
const INVALID_SINCE_LABEL = 'kubernetes.io/legacy-token-invalid-since'
const GENERATED_WARNING =
  'Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.'

const CLAIMS = ['namespace', 'secret.name', 'service-account.name', 'service-account.uid'] as const
const CLAIM_NAMES = ['namespace', 'secretName', 'serviceAccountName', 'serviceAccountUID'] as const

export function legacyToken(claims: ValueMap, token: string): VerifiedToken | TokenAnswer {
  const refused = (problem: string): TokenAnswer => ({ kind: 'refused', problem })
  const texts = CLAIMS.map((name) => own(claims, `kubernetes.io/serviceaccount/${name}`))
  const missing = texts.findIndex((text) => typeof text !== 'string' || text === '')
  if (typeof own(claims, 'sub') !== 'string') return refused('sub claim is missing')
  if (missing !== -1) return refused(`${CLAIM_NAMES[missing]} claim is missing`)
  const [namespace, secretName, name, uid] = texts as [string, string, string, string]
  if (own(claims, 'sub') !== accountUserName({ namespace, name })) return refused('sub claim is invalid')
  const account = { namespace, name }
  const secret: BoundObject = {
    kind: 'secrets',
    namespace,
    name: secretName,
    problemWith: (live) => secretProblem(live, token, `${namespace}/${secretName}`),
  }
  const owner: BoundObject = {
    kind: 'serviceaccounts',
    namespace,
    name,
    problemWith: (live) =>
      live.uid === uid ? undefined : `ServiceAccount UID (${live.uid}) does not match claim (${uid})`,
    warningsFrom: (live) => (lists(live, secretName) ? [GENERATED_WARNING] : []),
  }
  return {
    kind: 'verified',
    expiresAt: undefined,
    notBefore: undefined,
    issuedAt: undefined,
    warnAfter: undefined,
    audiences: [],
    boundObjects: [secret, owner],
    isLegacy: true,
    user: boundUser({ account: { ...account, uid }, pod: undefined, node: undefined, id: '' }),
  }
}

function secretProblem({ object, deletedAtMs }: LiveObject, token: string, name: string): string | undefined {
  if (deletedAtMs !== undefined) return 'Token has been invalidated'
  const kept = textOrEmpty(mapOrEmpty(object, 'data'), 'token')
  const [stored, shown] = [Buffer.from(kept, 'base64'), Buffer.from(token)]
  if (stored.length !== shown.length || !timingSafeEqual(stored, shown)) return "Token does not match server's copy"
  if (own(mapOrEmpty(object.metadata, 'labels'), INVALID_SINCE_LABEL) !== undefined) {
    return `the token in secret ${name} has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${INVALID_SINCE_LABEL}' label from the secret to temporarily allow use of this token`
  }
  return undefined
}

/** Whether the account lists the secret. Accounts list the secrets of tokens that were made automatically. */
function lists({ object }: LiveObject, secretName: string): boolean {
  return mapsOnly(object, 'secrets').some((secret) => own(secret, 'name') === secretName)
}
