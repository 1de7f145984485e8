// The faults that can be injected, as the library and `/debug/faults` take them: plain JSON. `readFault` refuses mistakes.
import { suggestion } from '../../lib/closest-word.ts'

/** The verbs by which faults match requests. They are the verbs of RBAC. Server-side apply is a `patch`. */
export type FaultVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection'

/** The watches that the fault hits: all watches that match every given member. */
export interface WatchMatch {
  /** The plural, with the group if several resources have this plural: `pods`, `deployments.apps`. */
  readonly resource?: string
  /** Replaces `resource`: `Pod`, `Deployment.apps`. */
  readonly kind?: string
  /** The namespace in the path. A list of all namespaces never matches. */
  readonly namespace?: string
  /** The name of the object. For a list or watch: the name in a field selector (`metadata.name=web`). */
  readonly name?: string
  /** The user, by the name that `kubectl auth whoami` shows. */
  readonly user?: string
}

/** The requests that the fault hits: all requests for resources that match every given member. */
export interface RequestMatch extends WatchMatch {
  readonly verb?: FaultVerb | readonly FaultVerb[]
  /** A subresource, or `*` for the object and all its subresources. Absent: the object alone, or everything if no resource is named. */
  readonly subresource?: string
}

/** The number of times that a fault strikes. */
export interface Repeated {
  /** The number of matching requests that the fault hits, 1 by default. `always`: until the fault is removed. */
  readonly times?: number | 'always'
}

/**
 * The answer to refused requests. The server gives the same answer if a request fails in this way without a fault.
 *
 * - 409: `AlreadyExists` for a create, `Conflict` for an update, patch or delete.
 * - 410: `Expired`, for a list or a watch.
 * - 429: too many requests, with `Retry-After`.
 * - 500: an internal error.
 * - 503: the server is shutting down, with `Retry-After`.
 * - 504: the request took too long.
 */
export interface Failure extends Repeated {
  readonly status: FailureStatus
  /** The Retry-After of 429 and 503. Default: 1. */
  readonly retryAfterSeconds?: number
}

export type FailureStatus = 409 | 410 | 429 | 500 | 503 | 504

export interface Delay extends Repeated {
  readonly milliseconds: number
}

export interface Cut extends Repeated {
  /** `before`: the server does nothing for the request. `after`: a write is done, but its client does not know. Default: `before`. */
  readonly when?: 'before' | 'after'
}

/** A fault as JSON, the body of a POST to `/debug/faults`. */
export type FaultSpec =
  | ({ readonly fault: 'fail'; readonly match?: RequestMatch } & Failure)
  | ({ readonly fault: 'delay'; readonly match?: RequestMatch } & Delay)
  /** Requests wait until the fault is removed. */
  | ({ readonly fault: 'hold'; readonly match?: RequestMatch } & Repeated)
  /** Connections break off without an answer, with all their open requests. */
  | ({ readonly fault: 'cut'; readonly match?: RequestMatch } & Cut)
  /** Watches that are open now break off. */
  | { readonly fault: 'cutWatches'; readonly match?: WatchMatch }
  /** All watches stay open and silent until the fault is removed. Later watches do so too. */
  | { readonly fault: 'freezeWatches'; readonly match?: WatchMatch }
  /** Delays every event of a watch by this time, also in watches that are opened later. */
  | { readonly fault: 'slowWatches'; readonly match?: WatchMatch; readonly milliseconds: number }
  /** Watches that are open now lose their next events, 1 by default, and then end with 410. */
  | { readonly fault: 'dropEvents'; readonly match?: WatchMatch; readonly events?: number }
  /** Writes do not reach caches and watches until the fault is removed. */
  | { readonly fault: 'staleReplica' }
  /** Until the fault is removed, writes and consistent reads fail, and watches stall. */
  | { readonly fault: 'storeOutage' }

export type RequestSpec = Extract<FaultSpec, { readonly fault: 'fail' | 'delay' | 'hold' | 'cut' }>
export type WatchSpec = Extract<
  FaultSpec,
  { readonly fault: 'cutWatches' | 'freezeWatches' | 'slowWatches' | 'dropEvents' }
>
export type StoreSpec = Extract<FaultSpec, { readonly fault: 'staleReplica' | 'storeOutage' }>

/** The fault cannot be injected; the message says why. */
export class FaultError extends Error {
  override readonly name = 'FaultError'
}

type Check = (value: unknown, path: string) => void
type Members = Readonly<Record<string, Check>>

export const FAULT_VERBS: readonly FaultVerb[] = [
  ...(['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'] as const),
]
const STATUSES: readonly FailureStatus[] = [409, 410, 429, 500, 503, 504]

const text: Check = (value, path) => {
  if (typeof value !== 'string' || value === '') throw new FaultError(`${path} must be a text that is not empty`)
}

const positive: Check = (value, path) => {
  if (!Number.isInteger(value) || (value as number) < 1) throw new FaultError(`${path} must be a whole number above 0`)
}

const notNegative: Check = (value, path) => {
  if (typeof value !== 'number' || !(value >= 0 && value < Infinity)) {
    throw new FaultError(`${path} must be a number that is not negative`)
  }
}

const times: Check = (value, path) => {
  if (value !== 'always') positive(value, path)
}

const oneOf =
  (known: readonly unknown[]): Check =>
  (value, path) => {
    if (known.includes(value)) return
    const meant = typeof value === 'string' ? suggestion(value, known.map(String)) : ''
    throw new FaultError(`${path} must be one of ${known.join(', ')}, not ${JSON.stringify(value)}${meant}`)
  }

const verbs: Check = (value, path) => {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (given.length === 0) throw new FaultError(`${path} is empty`)
  for (const verb of given) oneOf(FAULT_VERBS)(verb, path)
}

function record(members: Members, required: readonly string[] = []): Check {
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new FaultError(`${path} must be an object`)
    }
    const given = Object.entries(value).filter(([, member]) => member !== undefined)
    for (const [name, member] of given) {
      const check = Object.hasOwn(members, name) ? members[name] : undefined
      if (check === undefined) {
        throw new FaultError(`${path} has no member ${JSON.stringify(name)}${suggestion(name, Object.keys(members))}`)
      }
      check(member, `${path}.${name}`)
    }
    for (const name of required) {
      if (!given.some(([other]) => other === name)) throw new FaultError(`${path}.${name} is required`)
    }
  }
}

const WATCH_MATCH: Members = { resource: text, kind: text, namespace: text, name: text, user: text }
const OF_WATCHES: Members = { match: record(WATCH_MATCH) }
const OF_REQUESTS: Members = { match: record({ ...WATCH_MATCH, verb: verbs, subresource: text }), times }

/** The members of each fault besides its name, and its required members. */
const MEMBERS: Readonly<Record<FaultSpec['fault'], readonly [Members, ...string[]]>> = {
  fail: [{ ...OF_REQUESTS, status: oneOf(STATUSES), retryAfterSeconds: notNegative }, 'status'],
  delay: [{ ...OF_REQUESTS, milliseconds: notNegative }, 'milliseconds'],
  hold: [OF_REQUESTS],
  cut: [{ ...OF_REQUESTS, when: oneOf(['before', 'after']) }],
  cutWatches: [OF_WATCHES],
  freezeWatches: [OF_WATCHES],
  slowWatches: [{ ...OF_WATCHES, milliseconds: notNegative }, 'milliseconds'],
  dropEvents: [{ ...OF_WATCHES, events: positive }],
  staleReplica: [{}],
  storeOutage: [{}],
}

/** Throws `FaultError` for a mistake: an unknown member or an unknown word. */
export function readFault(value: unknown): FaultSpec {
  const fault: unknown = typeof value === 'object' && value !== null && 'fault' in value ? value.fault : undefined
  oneOf(Object.keys(MEMBERS))(fault, 'fault')
  const [members, ...required] = MEMBERS[fault as FaultSpec['fault']]
  record({ ...members, fault: text }, required)(value, fault as string)
  const spec = value as FaultSpec
  const isInTime = spec.fault !== 'fail' || spec.retryAfterSeconds === undefined || [429, 503].includes(spec.status)
  if (!isInTime) throw new FaultError('fail.retryAfterSeconds goes with status 429 or 503')
  return spec
}
