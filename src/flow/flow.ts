// The front door: priority and fairness. Every request is classified by the flow schemas, takes seats of a priority level while it runs,
// and waits in a fair queue if no seats are free (P-200 to P-220).
import type { User } from '../api/user.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'

/** The part of a request that flow control reads. */
export interface FlowRequest {
  readonly user: User
  readonly path: string
  readonly info: FlowInfo
  readonly query: { get(name: string): string | undefined; has(name: string): boolean }
  readonly signal: AbortSignal
  /** The approximate number of operations of a transaction. Absent: the request is not a transaction. */
  readonly operations?: number
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
   * Admits or rejects a request. Returns at once if there is room. `waitMs`: the longest wait. Throws a `CancelledError` if the request's
   * signal fires while it waits.
   */
  enter(request: FlowRequest, waitMs: number): MaybePromise<Entry>
}

export type Entry = Admitted | Rejected

/** The request may run. */
export interface Admitted {
  readonly kind: 'admitted'
  /** Headers of the answer, which name the schema and the level. */
  readonly headers: FlowHeaders
  /** Call this when the request is done. Further calls have no effect. */
  leave(): void
}

export interface Rejected {
  readonly kind: 'rejected'
  readonly headers: FlowHeaders
  readonly retryAfterSeconds: number
}

export type FlowHeaders = Readonly<Record<string, string>>

/** The size of a type and the number of its watchers. */
export interface TypeLoad {
  readonly objects: number
  readonly bytes: number
  readonly watchers: number
}

/** Finds the numbers for estimates. Undefined: this server does not keep the type. */
export type FindLoad = (place: {
  readonly group: string
  readonly version: string
  readonly resource: string
}) => TypeLoad | undefined
