// EventRateLimit: limits the rate of events with a token bucket for each key. The least recently used buckets are dropped.
import { isKind } from '../api/kind-guard.ts'
import { ApiError } from '../api/status.ts'
import type { Clock } from '../lib/clock.ts'
import { TokenBucket } from '../lib/token-bucket.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts'

export const EVENT_LIMIT_TYPES = ['Server', 'Namespace', 'User', 'SourceAndObject'] as const
export type EventLimitType = (typeof EVENT_LIMIT_TYPES)[number]

export interface EventLimit {
  readonly type: EventLimitType
  /** Events per second. */
  readonly qps: number
  readonly burst: number
  /** The largest number of keys. */
  readonly cacheSize: number
}

export function eventRateLimit(limits: readonly EventLimit[], clock: Clock): AdmissionPlugin {
  const buckets = limits.map((limit) => ({ limit, buckets: new Buckets(limit, clock) }))
  return {
    name: 'EventRateLimit',
    resources: ['events', 'events.events.k8s.io'],
    operations: ['CREATE', 'UPDATE'],
    validate(request) {
      if (request.subresource !== '' || request.dryRun) return
      const reached = buckets
        .filter(({ limit, buckets: kept }) => !kept.take(keyOf(limit.type, request)))
        .map(({ limit }) => `limit reached on type ${limit.type} for key ${keyOf(limit.type, request)}`)
      if (reached.length > 0) {
        throw new ApiError('TooManyRequests', reached.length === 1 ? reached[0]! : `[${reached.join(', ')}]`)
      }
    },
  }
}

const SOURCE = ['component', 'host'] as const
const OBJECT = ['kind', 'namespace', 'name', 'uid', 'apiVersion'] as const

function keyOf(type: EventLimitType, request: AdmissionRequest): string {
  switch (type) {
    case 'Server':
      return ''
    case 'Namespace':
      return request.namespace
    case 'User':
      return request.user.name
    case 'SourceAndObject': {
      const event = request.object
      if (!isKind(event, 'core_v1.Event')) return ''
      return [
        ...SOURCE.map((field) => event.source[field]),
        ...OBJECT.map((field) => event.involvedObject[field]),
      ].join('')
    }
  }
}

/** A least-recently-used cache of token buckets. */
class Buckets {
  readonly #limit: EventLimit
  readonly #clock: Clock
  readonly #byKey = new Map<string, TokenBucket>()

  constructor(limit: EventLimit, clock: Clock) {
    this.#limit = limit
    this.#clock = clock
  }

  /** Takes a token. False: the limit is reached. */
  take(key: string): boolean {
    const { qps: perSecond, burst, cacheSize } = this.#limit
    const now = (): number => this.#clock.now()
    const bucket = this.#byKey.get(key) ?? new TokenBucket({ burst, perSecond }, now())
    // Maps keep the order of insertion: the first key is the least recently used.
    this.#byKey.delete(key)
    this.#byKey.set(key, bucket)
    if (this.#byKey.size > cacheSize) this.#byKey.delete(this.#byKey.keys().next().value!)
    return bucket.take(1, now)
  }
}
