// Parts of the server that some kinds need.
import type { Authorizer } from '../auth/authorizer.ts'
import type { RbacIndex } from '../auth/rbac-index.ts'
import type { Resource } from '../registry/registry.ts'
import type { ServiceNetwork } from './core/service/claims.ts'

export type FindResource = (group: string, resource: string) => Resource | undefined

export interface KindNeeds {
  /** Finds a served resource in version `v1`. */
  readonly find: FindResource
  /** The ranges of cluster IPs and node ports. */
  readonly network: ServiceNetwork
  /** Prevents privilege escalation by roles and bindings. Undefined: nothing prevents it. */
  readonly roleGuard: RoleGuard | undefined
  /** The time for which an event is kept after its last change. */
  readonly eventTtlSeconds: number
}

export interface RoleGuard {
  readonly authorizer: Authorizer
  /** The stored roles and bindings, maybe a moment old. */
  readonly index: RbacIndex
}
