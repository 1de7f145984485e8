// The front door: priority and fairness. Every request is classified by the flow schemas, takes seats of a priority level while
// it runs, and waits in a fair queue where there are none (P-200 to P-220).
import type { User } from '../api/user.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'

/** What flow control looks at of a request. */
export interface FlowRequest {
  readonly user: User
  readonly path: string
  readonly info: FlowInfo
  readonly query: { get(name: string): string | undefined }
  readonly signal: AbortSignal
}

export type FlowInfo =
  | {
      readonly kind: 'resource'
      readonly verb: string
      readonly group: string
      readonly version: string
      readonly resource: string
      readonly subresource: string | undefined
      readonly namespace: string | undefined
      readonly name: string | undefined
      readonly selectedName: string | undefined
    }
  | { readonly kind: 'path'; readonly verb: string }
  | { readonly kind: 'broken' }

export interface FlowControl {
  /**
   * At once where there is room. `waitMs`: how long it may wait. Throws `CancelledError` where the request is given up
   * while it waits.
   */
  enter(request: FlowRequest, waitMs: number): MaybePromise<Entry>
}

export type Entry = Admitted | Rejected

/** It may go. */
export interface Admitted {
  readonly kind: 'admitted'
  /** What it was classified as, for the headers of its answer. */
  readonly headers: FlowHeaders
  /** It is done; further calls mean nothing. */
  leave(): void
}

export interface Rejected {
  readonly kind: 'rejected'
  readonly headers: FlowHeaders
  readonly retryAfterSeconds: number
}

export type FlowHeaders = Readonly<Record<string, string>>

/** How much there is of a type and how many look at it. */
export interface TypeLoad {
  readonly objects: number
  readonly bytes: number
  readonly watchers: number
}

/** What work is estimated by; undefined: a type that is not kept here. */
export type FindLoad = (place: {
  readonly group: string
  readonly version: string
  readonly resource: string
}) => TypeLoad | undefined
