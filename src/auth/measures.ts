// Who comes in and what is decided about them, counted and timed. Names of users are labels only where there
// are few of them.
import { type Count, counterFamily, type Distribution, histogramFamily, Measures } from '../lib/measure.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import type { Authenticator } from './authenticator.ts'
import type { Authorizer, Decision } from './authorizer.ts'

const BOUNDS: readonly number[] = Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i)
const RESULT: readonly string[] = ['result']
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
  readonly attempts = counterFamily({
    name: 'authentication_attempts',
    help: 'Requests by whether it is known who asks.',
    labels: RESULT,
  })
  readonly authentication = histogramFamily({
    name: 'authentication_duration_seconds',
    help: 'How long finding that out took.',
    labels: RESULT,
    bounds: BOUNDS,
  })
  readonly users = counterFamily({
    name: 'authenticated_user_requests',
    help: 'Requests of users who are known by name, and of all others together.',
    labels: ['username'],
  })
  readonly tokenCache = counterFamily({
    name: 'authentication_token_cache_request_total',
    help: 'Tokens that were looked up, by whether they were known.',
    labels: ['status'],
  })
  readonly validTokens = counterFamily({
    name: 'serviceaccount_valid_tokens_total',
    help: 'Uses of tokens of service accounts.',
    labels: [],
  })
  readonly staleTokens = counterFamily({
    name: 'serviceaccount_stale_tokens_total',
    help: 'Uses of tokens of service accounts that should have been replaced.',
    labels: [],
  })
  readonly legacyTokens = counterFamily({
    name: 'serviceaccount_legacy_tokens_total',
    help: 'Uses of tokens that are kept in secrets.',
    labels: [],
  })
  readonly configReloads = counterFamily({
    name: 'apiserver_authentication_config_controller_automatic_reloads_total',
    help: 'New configurations of authentication, by whether they are in use.',
    labels: ['status', 'apiserver_id_hash'],
  })
  readonly expiry = histogramFamily({
    name: 'apiserver_client_certificate_expiration_seconds',
    help: 'How long client certificates are still good for.',
    labels: [],
    bounds: EXPIRY_BOUNDS,
  })
  readonly authorizations = counterFamily({
    name: 'authorization_attempts_total',
    help: 'Requests by what was decided.',
    labels: RESULT,
  })
  readonly authorization = histogramFamily({
    name: 'authorization_duration_seconds',
    help: 'How long deciding took.',
    labels: RESULT,
    bounds: BOUNDS,
  })
  readonly decisions = counterFamily({
    name: 'apiserver_authorization_decisions_total',
    help: 'Decisions by who made them.',
    labels: ['type', 'name', 'decision'],
  })

  readonly reloads = counterFamily({
    name: 'apiserver_authorization_config_controller_automatic_reloads_total',
    help: 'How often a changed configuration of who decides was read, by whether it was good.',
    labels: ['status'],
  })
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

/** The few names that programs of the system have; whatever else there is must not become a label. */
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

/** Counts what one authorizer of the chain decides; what it leaves to others is not its decision. */
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
