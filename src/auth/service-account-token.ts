// Issues and verifies service account tokens. A signature is checked once. The account and the bound objects are looked up every time, so
// that deleting them revokes the token (P-040 to P-044).
import { mapOrEmpty, numberOrAbsent, textOrAbsent, textOrEmpty, textsOnly } from '../api/members.ts'
import type { ValueMap } from '../api/value.ts'
import { own } from '../api/value.ts'
import { BoundedMap } from '../lib/bounded-map.ts'
import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import type { PresentedToken, TokenAnswer, TokenMethod } from './bearer-tokens.ts'
import type { Jwt, SigningKey } from './jwt.ts'
import { parseJwt, signJwt } from './jwt.ts'
import { LEGACY_ISSUER, legacyToken } from './legacy-token.ts'
import type { LiveObject, LiveObjects, ObjectName } from './live-objects.ts'
import { type AccountName, accountUserName } from './user.ts'
import type { VerificationKey } from './signing-keys.ts'
import { isSignedByOneOf } from './signing-keys.ts'
import type { Checked, BoundObject, VerifiedToken } from './verified-token.ts'
import { audienceProblem, boundUser, checkBoundObjects, claimProblem, uidProblem } from './verified-token.ts'

export interface Named {
  readonly name: string
  readonly uid: string
}

export interface TokenOrder {
  readonly account: AccountName & { readonly uid: string }
  readonly pod?: Named
  readonly secret?: Named
  /** The uid is empty if the node does not exist. */
  readonly node?: Named
  readonly audiences: readonly string[]
  readonly lifetimeSeconds: number
  /** After this time, use of the token is reported as stale, although the token is still valid. */
  readonly warnAfterSeconds?: number
}

export interface IssuedToken {
  readonly token: string
  readonly id: string
}

/** Signs a token. Its time of issue is `nowMs`, in whole seconds. */
export function issueToken(
  issuer: { readonly url: string; readonly key: SigningKey },
  order: TokenOrder,
  { nowMs, random }: { readonly nowMs: number; readonly random: Random },
): IssuedToken {
  const { account, pod, secret, node } = order
  const now = Math.floor(nowMs / 1000)
  const id = random.uuid()
  const claims = {
    aud: order.audiences,
    exp: now + order.lifetimeSeconds,
    iat: now,
    iss: issuer.url,
    jti: id,
    'kubernetes.io': {
      namespace: account.namespace,
      ...(node === undefined ? {} : { node: node.uid === '' ? { name: node.name } : reference(node) }),
      ...(pod === undefined ? {} : { pod: reference(pod) }),
      ...(secret === undefined ? {} : { secret: reference(secret) }),
      serviceaccount: reference(account),
      ...(order.warnAfterSeconds === undefined ? {} : { warnafter: now + order.warnAfterSeconds }),
    },
    nbf: now,
    sub: accountUserName(account),
  }
  return { token: signJwt(issuer.key, claims), id }
}

function reference({ name, uid }: Named): Named {
  return { name, uid }
}

export interface AccountTokenOptions {
  readonly issuers: readonly string[]
  readonly keys: readonly VerificationKey[]
  /** The audiences of tokens that name no audience. */
  readonly apiAudiences: readonly string[]
  readonly live: LiveObjects
  readonly clock: Clock
  /** Counts a valid token. `stale`: the token should have been replaced (P-049). */
  readonly onUse?: (kind: 'valid' | 'stale' | 'legacy') => void
  /** Called when a legacy token in this secret was used. */
  readonly onLegacyUse?: (secret: LiveObject) => void
}

/** The number of cached tokens: enough for the pods of a large cluster. Each takes some hundred bytes. */
const REMEMBERED = 20_000

export function serviceAccountTokens(options: AccountTokenOptions): TokenMethod {
  const verified = new BoundedMap<string, VerifiedToken>(REMEMBERED)
  return (presented, signal) => {
    let token: VerifiedToken | TokenAnswer | undefined = verified.get(presented.digest)
    if (token === undefined) {
      token = verify(options, presented.token)
      if (token.kind !== 'verified') return token
      verified.set(presented.digest, token)
    }
    return answer(options, token, { presented, signal })
  }
}

const UNKNOWN: TokenAnswer = { kind: 'unknown' }

function refused(problem: string): TokenAnswer {
  return { kind: 'refused', problem }
}

function verify(options: AccountTokenOptions, token: string): VerifiedToken | TokenAnswer {
  const jwt = parseJwt(token)
  const issuer = jwt === undefined ? undefined : own(jwt.claims, 'iss')
  if (jwt === undefined || typeof issuer !== 'string') return UNKNOWN
  const isLegacy = issuer === LEGACY_ISSUER
  if (!isLegacy && !options.issuers.includes(issuer)) return UNKNOWN
  if (!isSignedByOneOf(options.keys, jwt)) return refused('go-jose/go-jose: error in cryptographic primitive')
  return isLegacy ? legacyToken(jwt.claims, token) : boundToken(jwt)
}

/** Reads signed claims. The token is refused if they do not have the form in which this server writes them. */
function boundToken({ claims }: Jwt): VerifiedToken | TokenAnswer {
  return claimsOf(claims) ?? refused('service account token claims could not be validated due to unexpected error')
}

function claimsOf(claims: ValueMap): VerifiedToken | undefined {
  const stated = mapOrEmpty(claims, 'kubernetes.io')
  const namespace = textOrAbsent(stated, 'namespace')
  const account = namedIn(stated, 'serviceaccount')
  const expires = numberOrAbsent(claims, 'exp')
  if (namespace === undefined || account === undefined || account.uid === '') return undefined
  if (own(claims, 'sub') !== accountUserName({ namespace, name: account.name })) return undefined
  if (expires === undefined) return undefined
  const [pod, secret, node] = ['pod', 'secret', 'node'].map((name) => namedIn(stated, name))
  const boundObjects: BoundObject[] = [boundObject('serviceaccounts', namespace, account)]
  if (secret !== undefined) boundObjects.push(boundObject('secrets', namespace, secret))
  if (pod !== undefined) boundObjects.push(boundObject('pods', namespace, pod))
  // The token of a pod names the node of the pod, but is bound to the pod only.
  if (node !== undefined && pod === undefined) boundObjects.push(boundObject('nodes', '', node))
  return {
    kind: 'verified',
    expiresAt: expires,
    notBefore: numberOrAbsent(claims, 'nbf'),
    issuedAt: numberOrAbsent(claims, 'iat'),
    warnAfter: numberOrAbsent(stated, 'warnafter'),
    audiences: audiencesIn(claims),
    boundObjects,
    isLegacy: false,
    user: boundUser({ account: { namespace, ...account }, pod, node, id: textOrEmpty(claims, 'jti') }),
  }
}

function boundObject(kind: ObjectName['kind'], namespace: string, { name, uid }: Named): BoundObject {
  return { kind, namespace, name, problemWith: (live) => uidProblem(kind, live, uid) }
}

function namedIn(map: ValueMap, member: string): Named | undefined {
  const value = mapOrEmpty(map, member)
  const name = textOrEmpty(value, 'name')
  return name === '' ? undefined : { name, uid: textOrEmpty(value, 'uid') }
}

/** The claim may be one text or a list of texts. */
function audiencesIn(claims: ValueMap): readonly string[] {
  const one = textOrAbsent(claims, 'aud')
  return one === undefined ? textsOnly(claims, 'aud') : [one]
}

interface Asked {
  readonly presented: PresentedToken
  readonly signal: AbortSignal
}

function answer(options: AccountTokenOptions, token: VerifiedToken, asked: Asked): TokenAnswer | Promise<TokenAnswer> {
  const { live, clock, apiAudiences } = options
  const meantFor = token.audiences.length === 0 ? apiAudiences : token.audiences
  const audiences = asked.presented.audiences.filter((audience) => meantFor.includes(audience))
  if (audiences.length === 0) return refused(audienceProblem(meantFor, asked.presented.audiences))
  const now = clock.now()
  const problem = claimProblem(token, now)
  if (problem !== undefined) return refused(problem)
  const conclude = (checked: Checked): TokenAnswer => {
    if (checked.kind === 'problem') return refused(checked.problem)
    const user = { kind: 'user', user: token.user, audiences } as const
    const annotations = annotationsOf(token, now)
    if (!token.isLegacy) {
      const isStale = annotations !== undefined && token.warnAfter !== undefined
      options.onUse?.(isStale ? 'stale' : 'valid')
      return annotations === undefined ? user : { ...user, annotations }
    }
    options.onUse?.('legacy')
    const [secret] = checked.found
    if (secret !== undefined) options.onLegacyUse?.(secret)
    return { ...user, warnings: checked.warnings, ...(annotations === undefined ? {} : { annotations }) }
  }
  const checked = checkBoundObjects(token.boundObjects, (name) => live.peek(name), now)
  // The cache may be older than the token: only the stored state can refuse the token.
  if (checked.kind === 'good') return conclude(checked)
  return findBoundObjects(live, token.boundObjects, asked.signal).then((found) =>
    conclude(checkBoundObjects(token.boundObjects, (name) => found.get(name), now)),
  )
}

/** The audit annotations of stale and legacy tokens. */
function annotationsOf(
  { user, audiences, warnAfter }: VerifiedToken,
  nowMs: number,
): Readonly<Record<string, string>> | undefined {
  const late = warnAfter === undefined ? 0 : nowMs / 1000 - warnAfter
  if (late > 0) {
    const text = `subject: ${user.name}, seconds after warning threshold: ${Math.round(late)}`
    return { 'authentication.k8s.io/stale-token': text }
  }
  return audiences.length === 0 ? { 'authentication.k8s.io/legacy-token': user.name } : undefined
}

async function findBoundObjects(
  live: LiveObjects,
  boundObjects: readonly BoundObject[],
  signal: AbortSignal,
): Promise<ReadonlyMap<ObjectName, LiveObject>> {
  const found = new Map<ObjectName, LiveObject>()
  for (const name of boundObjects) {
    const object = await live.find(name, signal)
    if (object !== undefined) found.set(name, object)
  }
  return found
}
