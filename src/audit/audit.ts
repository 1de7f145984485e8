// The front door: audit events of requests. The policy sets the level and the stages, and backends write the events. A request that no rule
// matches costs only the search for a rule (P-180 to P-194).
import type { Status } from '../api/status.ts'

export const AUDIT_LEVELS = ['None', 'Metadata', 'Request', 'RequestResponse'] as const
export type AuditLevel = (typeof AUDIT_LEVELS)[number]

export const AUDIT_STAGES = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const
export type AuditStage = (typeof AUDIT_STAGES)[number]

/** The part of a request that auditing reads. The request of `http` has this shape. */
export interface AuditedRequest {
  readonly auditId: string
  /** The path and query as sent. */
  readonly target: string
  readonly path: string
  readonly info: AuditedInfo
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly remote: { readonly address: string }
}

export type AuditedInfo =
  | {
      readonly kind: 'resource'
      readonly verb: string
      readonly group: string
      readonly version: string
      readonly resource: string
      readonly subresource: string | undefined
      readonly namespace: string | undefined
      readonly name: string | undefined
    }
  | { readonly kind: 'path'; readonly verb: string }
  | { readonly kind: 'broken' }

/** The result of the request. */
export interface AuditOutcome {
  readonly status?: string | undefined
  readonly message?: string | undefined
  readonly reason?: string | undefined
  readonly details?: Status['details'] | undefined
  readonly code: number
}
