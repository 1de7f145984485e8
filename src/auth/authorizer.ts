// Decides whether a user may do what they ask for. The chain is asked in order; whoever has an opinion ends it (P-111).
import type { User } from '../api/user.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import { AUTHENTICATED, MASTERS, UNAUTHENTICATED } from './user.ts'

export interface ResourceAccess {
  readonly kind: 'resource'
  readonly user: User
  readonly verb: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string | undefined
  readonly namespace: string | undefined
  readonly name: string | undefined
}

export interface PathAccess {
  readonly kind: 'path'
  readonly user: User
  readonly verb: string
  readonly path: string
}

export type Access = ResourceAccess | PathAccess

export type Decision =
  | { readonly kind: 'allow'; readonly reason?: string }
  | { readonly kind: 'deny'; readonly reason: string }
  | { readonly kind: 'no-opinion'; readonly reason?: string }

export interface Authorizer {
  authorize(access: Access, signal: AbortSignal): MaybePromise<Decision>
}

const ALLOW: Decision = { kind: 'allow' }
const NO_OPINION: Decision = { kind: 'no-opinion' }

export function chain(authorizers: readonly Authorizer[]): Authorizer {
  const ask = (at: number, soFar: Decision, asked: Question): MaybePromise<Decision> => {
    const authorizer = authorizers[at]
    if (authorizer === undefined) return soFar
    return whenKnown(authorizer.authorize(asked.access, asked.signal), (decision) =>
      decision.kind === 'no-opinion' ? ask(at + 1, joined(soFar, decision), asked) : decision,
    )
  }
  return { authorize: (access, signal) => ask(0, NO_OPINION, { access, signal }) }
}

interface Question {
  readonly access: Access
  readonly signal: AbortSignal
}

function joined(first: Decision, second: Decision): Decision {
  const reasons = [first, second].flatMap((decision) =>
    decision.kind === 'no-opinion' && decision.reason !== undefined ? [decision.reason] : [],
  )
  return reasons.length === 0 ? NO_OPINION : { kind: 'no-opinion', reason: reasons.join('\n') }
}

/** The administrators' group, always and before any other (P-110). */
export function allowMasters(): Authorizer {
  return { authorize: ({ user }) => (user.groups.includes(MASTERS) ? ALLOW : NO_OPINION) }
}

export function allowAll(): Authorizer {
  return { authorize: () => ALLOW }
}

/** It says no more than that it has no opinion (P-156). */
export function denyAll(): Authorizer {
  return { authorize: () => ({ kind: 'no-opinion', reason: 'Everything is forbidden.' }) }
}

const PUBLIC_PATHS: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz', '/version', '/version/'])
const DISCOVERY_PATHS: readonly string[] = ['/api', '/apis', '/openapi']

/**
 * What the default roles grant to everyone: the health endpoints and the version, and discovery to those who are known
 * . Only reading, and only exactly these paths: the single health checks are not among them.
 */
export function allowPublicPaths(): Authorizer {
  return {
    authorize(access) {
      if (access.kind !== 'path' || access.verb !== 'get') return NO_OPINION
      const { groups } = access.user
      const known = groups.includes(AUTHENTICATED)
      if (PUBLIC_PATHS.has(access.path) && (known || groups.includes(UNAUTHENTICATED))) return ALLOW
      return known && isDiscovery(access.path) ? ALLOW : NO_OPINION
    },
  }
}

function isDiscovery(path: string): boolean {
  return DISCOVERY_PATHS.some((root) => path === root || path.startsWith(`${root}/`))
}
