// Authorizes requests. The authorizers decide in order. The first authorizer with an opinion decides (P-111).
import type { DeniedExplanation } from '../api/explanation.ts'
import type { PolicyRule } from '../api/policy-rule.ts'
import { FULL_REACH, NO_REACH, type Reach, ReachBuilder } from '../api/reach.ts'
import type { FieldTerm, LabelRequirement } from '../api/selector.ts'
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
  readonly subresource?: string | undefined
  readonly namespace?: string | undefined
  readonly name?: string | undefined
  /** The selectors of a list, a watch or a deletecollection. They are parsed at the first use. */
  readonly selectors?: () => AskedSelectors
}

/** Undefined: there is no selector, or it is malformed. Without it the access needs more rights, never fewer (P-105). */
export interface AskedSelectors {
  readonly fields: readonly FieldTerm[] | undefined
  readonly labels: readonly LabelRequirement[] | undefined
}

export interface PathAccess {
  readonly kind: 'path'
  readonly user: User
  readonly verb: string
  readonly path: string
}

export type Access = ResourceAccess | PathAccess

export type Decision =
  | { readonly kind: 'allow'; readonly reason?: string; readonly problem?: string }
  /** `problem`: a fault led to this decision, so the caller must not treat it as a plain no (P-117). */
  | { readonly kind: 'deny' | 'no-opinion'; readonly reason?: string; readonly problem?: string }

export interface Authorizer {
  authorize(access: Access, signal: AbortSignal): MaybePromise<Decision>
  /** All rules of the user in the namespace. Absent: the authorizer has no rules. */
  readonly rulesFor?: (user: User, namespace: string) => UserRules
  /**
   * The namespaces and names for which the authorizer allows the access. It must not include more than `authorize` allows. Undefined or
   * absent: the authorizer cannot tell.
   */
  readonly reachOf?: (access: ResourceAccess) => Reach | undefined
  /** Explains which right is missing. Absent: the authorizer cannot tell. */
  readonly explain?: (denied: DeniedAccess, signal: AbortSignal) => Promise<DeniedExplanation>
}

export interface DeniedAccess {
  readonly access: Access
  readonly decision: Pick<Decision, 'kind'>
  /** The reader of the explanation, who may be another user than the denied user. */
  readonly reader: User
}

export interface UserRules {
  readonly rules: readonly PolicyRule[]
  /** The user may have more rules than `rules` has. */
  readonly incomplete: boolean
  /** The errors of the evaluation. Undefined: there were none. */
  readonly problem: string | undefined
}

const ALLOW: Decision = { kind: 'allow' }
const NO_OPINION: Decision = { kind: 'no-opinion' }

export function chain(authorizers: readonly Authorizer[]): Authorizer {
  const ask = (at: number, soFar: Decision, asked: Question): MaybePromise<Decision> => {
    const authorizer = authorizers[at]
    if (authorizer === undefined) return soFar
    return whenKnown(authorizer.authorize(asked.access, asked.signal), (decision) =>
      decision.kind === 'no-opinion' ? ask(at + 1, joined(soFar, decision), asked) : withProblem(decision, soFar),
    )
  }
  return {
    authorize: (access, signal) => ask(0, NO_OPINION, { access, signal }),
    reachOf: (access) => {
      const all = new ReachBuilder()
      for (const authorizer of authorizers) {
        const reach = authorizer.reachOf?.(access)
        if (reach === undefined) return undefined
        // An authorizer with `reachOf` never denies an access that a later authorizer allows.
        if (reach.isAll) return reach
        all.join(reach)
      }
      return all.build()
    },
    rulesFor: (user, namespace) => {
      const all = authorizers.flatMap((authorizer) => authorizer.rulesFor?.(user, namespace) ?? [])
      return {
        rules: all.flatMap(({ rules }) => rules),
        incomplete: all.some(({ incomplete }) => incomplete),
        problem: joinProblems(all.flatMap(({ problem }) => problem ?? [])),
      }
    },
  }
}

/** The access that decides which objects a list or watch shows. A caller sees the namespaces that it may get. */
export function readAccess(access: ResourceAccess): {
  readonly access: ResourceAccess
  readonly isNamespaces: boolean
} {
  const isNamespaces = access.group === '' && access.resource === 'namespaces'
  return { access: isNamespaces ? { ...access, verb: 'get' } : access, isNamespaces }
}

/** The reasons of an authorizer that has no opinion begin with its name. */
export function withNamedReasons(authorizer: Authorizer, name: string): Authorizer {
  return {
    ...authorizer,
    authorize: (access, signal) =>
      whenKnown(authorizer.authorize(access, signal), (decision) =>
        decision.kind === 'no-opinion' && decision.reason !== undefined
          ? { ...decision, reason: `${name}: ${decision.reason}` }
          : decision,
      ),
  }
}

interface Question {
  readonly access: Access
  readonly signal: AbortSignal
}

function joined(first: Decision, second: Decision): Decision {
  if (first === NO_OPINION) return second
  const reason = [first, second].flatMap((decision) => decision.reason ?? []).join('\n')
  const problem = joinProblems([first, second].flatMap((decision) => decision.problem ?? []))
  return {
    kind: 'no-opinion',
    ...(reason === '' ? {} : { reason }),
    ...(problem === undefined ? {} : { problem }),
  }
}

function withProblem(decision: Decision, before: Decision): Decision {
  const problem = joinProblems([before, decision].flatMap((each) => each.problem ?? []))
  return problem === undefined ? decision : { ...decision, problem }
}

/** A single problem as it is, or several in brackets without repetitions. Undefined: there is no problem. */
export function joinProblems(problems: readonly string[]): string | undefined {
  const each = [...new Set(problems)]
  return each.length < 2 ? each[0] : `[${each.join(', ')}]`
}

/** Allows everything to the administrators' group, before any other authorizer is asked (P-110). */
export function allowMasters(): Authorizer {
  const isMaster = ({ user }: Access): boolean => user.groups.includes(MASTERS)
  return {
    authorize: (access) => (isMaster(access) ? ALLOW : NO_OPINION),
    reachOf: (access) => (isMaster(access) ? FULL_REACH : NO_REACH),
  }
}

export function allowAll(): Authorizer {
  const all = ['*']
  const everything = { verbs: all, apiGroups: all, resources: all, resourceNames: [], nonResourceURLs: [] }
  const everywhere = { verbs: all, apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: all }
  return {
    authorize: () => ALLOW,
    reachOf: () => FULL_REACH,
    rulesFor: () => ({ rules: [everything, everywhere], incomplete: false, problem: undefined }),
  }
}

/** An authorizer without an opinion on anything (P-156): every request is denied. */
export function denyAll(): Authorizer {
  return {
    authorize: () => ({ kind: 'no-opinion', reason: 'Everything is forbidden.' }),
    reachOf: () => NO_REACH,
  }
}

const PUBLIC_PATHS: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz', '/version', '/version/'])
const DISCOVERY_PATHS: readonly string[] = ['/api', '/apis', '/openapi']

/**
 * Allows the paths that the default roles grant to all users: the health endpoints and the version. Authenticated users also get discovery
 * . Only `get` is allowed, and not for single health checks.
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
