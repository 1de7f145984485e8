// The longest duration of a request (P-225 to P-227, R-024, R-025).
import { ApiError } from '../api/status.ts'
import { parseDuration } from '../lib/duration.ts'
import type { Query } from './query.ts'
import type { RequestInfo } from './request-info.ts'

export type Deadline =
  /** Watches, logs and other streams. */
  | { readonly kind: 'none' }
  /** `early`: sooner than the server's own limit. */
  | { readonly kind: 'after'; readonly milliseconds: number; readonly early: boolean }
  /** The `timeout` parameter cannot be read. */
  | { readonly kind: 'unreadable'; readonly message: string }

const LONG_SUBRESOURCES: ReadonlySet<string> = new Set(['attach', 'exec', 'proxy', 'log', 'portforward'])

export function isWatch(info: RequestInfo): boolean {
  return info.kind === 'resource' && info.verb === 'watch'
}

export function isLongRunning(info: RequestInfo): boolean {
  if (info.kind !== 'resource') return info.kind === 'path' && info.isProfile === true
  if (info.verb === 'watch' || info.verb === 'proxy') return true
  return info.subresource !== undefined && LONG_SUBRESOURCES.has(info.subresource)
}

/** The parameter `timeout` can only shorten the limit. Zero, empty and negative values leave the limit as it is. */
export function deadlineOf(info: RequestInfo, query: Query, limitMs: number): Deadline {
  if (isLongRunning(info)) return { kind: 'none' }
  const asked = query.get('timeout')
  const standard: Deadline = { kind: 'after', milliseconds: limitMs, early: false }
  if (asked === undefined || asked === '') return standard
  const parsed = parseDuration(asked)
  if (!parsed.ok) return { kind: 'unreadable', message: parsed.message }
  const milliseconds = Number(parsed.nanoseconds) / 1e6
  return milliseconds > 0 && milliseconds < limitMs ? { kind: 'after', milliseconds, early: true } : standard
}

export function timeoutError(): ApiError {
  return new ApiError('Timeout', 'Timeout: request did not complete within the allotted timeout', { details: {} })
}
