// The metrics of authentication and authorization. User names are labels only if there are few of them.
import { type Count, counter, type Distribution, histogram, Measures } from '../lib/measure.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import type { Authenticator } from './authenticator.ts'
import type { Authorizer, Decision } from './authorizer.ts'

const BOUNDS: readonly number[] = Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i)
const RESULT: readonly string[] = ['result']
const TIMED = { labels: RESULT, bounds: BOUNDS } as const
const DAY = 86_400
const EXPIRY_BOUNDS: readonly number[] = [
  0,
  1800,
  3600,
  7200,
  21_600,
  43_200,
  ...[1, 2, 4, 7, 30, 90, 180, 360].map((days) => days * DAY),
]

export class AuthMeasures extends Measures {
  readonly attempts = counter('authentication_attempts', 'Authentication attempts, by result.', RESULT)
  readonly authentication = histogram('authentication_duration_seconds', 'Authentication duration in seconds.', TIMED)
  readonly users = counter(
    'authenticated_user_requests',
    'Authenticated requests, by username; all but a few system users count as other.',
    ['username'],
  )
  readonly tokenCache = counter('authentication_token_cache_request_total', 'Token cache lookups, by hit or miss.', [
    'status',
  ])
  readonly validTokens = counter('serviceaccount_valid_tokens_total', 'Uses of valid service account tokens.')
  readonly staleTokens = counter(
    'serviceaccount_stale_tokens_total',
    'Uses of stale service account tokens, which should have been refreshed.',
  )
  readonly legacyTokens = counter(
    'serviceaccount_legacy_tokens_total',
    'Uses of legacy, secret-based service account tokens.',
  )
  readonly configReloads = counter(
    'apiserver_authentication_config_controller_automatic_reloads_total',
    'Reloads of the authentication configuration, by success or failure.',
    ['status', 'apiserver_id_hash'],
  )
  readonly expiry = histogram(
    'apiserver_client_certificate_expiration_seconds',
    'Remaining lifetime of client certificates in seconds.',
    { bounds: EXPIRY_BOUNDS },
  )
  readonly authorizations = counter('authorization_attempts_total', 'Authorization attempts, by result.', RESULT)
  readonly authorization = histogram('authorization_duration_seconds', 'Authorization duration in seconds.', TIMED)
  readonly decisions = counter('apiserver_authorization_decisions_total', 'Allow and deny decisions, by authorizer.', [
    'type',
    'name',
    'decision',
  ])

  readonly reloads = counter(
    'apiserver_authorization_config_controller_automatic_reloads_total',
    'Reloads of the authorization configuration, by success or failure.',
    ['status'],
  )
}

interface Timed {
  readonly count: Count
  readonly seconds: Distribution
}

function note({ count, seconds }: Timed, began: number): void {
  count.value++
  seconds.observe((performance.now() - began) / 1000)
}

export function measureAuthenticator(inner: Authenticator, measures: AuthMeasures): Authenticator {
  const timed = (result: string): Timed => ({
    count: measures.attempts.of(result),
    seconds: measures.authentication.of(result),
  })
  const [success, failure, error] = [timed('success'), timed('failure'), timed('error')] as const
  return {
    authenticate(credentials, signal) {
      const began = performance.now()
      return settled(inner.authenticate(credentials, signal), {
        onValue: (result) => {
          if (result.kind === 'user') measures.users.of(shownName(result.user.name)).value++
          note(result.kind === 'user' ? success : result.kind === 'none' ? failure : error, began)
        },
        onError: () => note(error, began),
      })
    },
  }
}

/** The label for a user: one of a few names of system users, `email_id` or `other`. Other names must not become labels. */
function shownName(name: string): string {
  if (SHOWN.has(name)) return name
  return name.includes('@') ? 'email_id' : 'other'
}

const SHOWN: ReadonlySet<string> = new Set([
  'admin',
  'client',
  'kube_proxy',
  'kubelet',
  'system:serviceaccount:kube-system:default',
])

export function measureAuthorizer<A extends Authorizer>(inner: A, measures: AuthMeasures): A {
  const timed = (result: string): Timed => ({
    count: measures.authorizations.of(result),
    seconds: measures.authorization.of(result),
  })
  const kinds: Readonly<Record<Decision['kind'], Timed>> = {
    allow: timed('allowed'),
    deny: timed('denied'),
    'no-opinion': timed('no-opinion'),
  }
  const error = timed('error')
  return {
    ...inner,
    authorize(access, signal) {
      const began = performance.now()
      return settled(inner.authorize(access, signal), {
        onValue: ({ kind, problem }) => note(kind !== 'allow' && problem !== undefined ? error : kinds[kind], began),
        onError: () => note(error, began),
      })
    },
  }
}

/** Counts the decisions of one authorizer of the chain. Results without an opinion are not counted. */
export function countDecisions<A extends Authorizer>(
  inner: A,
  { type, name }: { readonly type: string; readonly name: string },
  measures: AuthMeasures,
): A {
  const counts = {
    allow: measures.decisions.of(type, name, 'allowed'),
    deny: measures.decisions.of(type, name, 'denied'),
  }
  return {
    ...inner,
    authorize: (access, signal) =>
      whenKnown(inner.authorize(access, signal), (decision) => {
        if (decision.kind !== 'no-opinion') counts[decision.kind].value++
        return decision
      }),
  }
}

interface Settled<T> {
  readonly onValue: (value: T) => void
  readonly onError: () => void
}

function settled<T>(value: MaybePromise<T>, { onValue, onError }: Settled<T>): MaybePromise<T> {
  if (!(value instanceof Promise)) {
    onValue(value)
    return value
  }
  return value.then(
    (known) => {
      onValue(known)
      return known
    },
    (error: unknown) => {
      onError()
      throw error
    },
  )
}
