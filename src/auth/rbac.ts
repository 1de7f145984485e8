// The RBAC authorizer, and the rules of a user (P-116, P-125 to P-130). It never denies.
import { allowsPath, allowsResource, type PolicyRule } from '../api/policy-rule.ts'
import { type NameSet, type Reach, ReachBuilder } from '../api/reach.ts'
import type { User } from '../api/user.ts'
import { BoundedMap } from '../lib/bounded-map.ts'
import { getOrInsert } from '../lib/map-entries.ts'
import type { Access, Authorizer, Decision, PathAccess, ResourceAccess, UserRules } from './authorizer.ts'
import { joinProblems, readAccess } from './authorizer.ts'
import type { Grant, GrantedRoles, RbacIndex, RoleRules } from './rbac-index.ts'

const NO_OPINION: Decision = { kind: 'no-opinion' }

export function rbacAuthorizer(index: RbacIndex): Authorizer {
  const granted = new GrantedNames()
  return {
    authorize: (access) => decide(index, access),
    reachOf: (access) => reachOf(index, granted, access),
    rulesFor: (user, namespace) => rulesFor(index, user, namespace),
  }
}

function reachOf(index: RbacIndex, granted: GrantedNames, asked: ResourceAccess): Reach {
  const { access, isNamespaces } = readAccess(asked)
  const reach = new ReachBuilder()
  const add = (roles: GrantedRoles, namespace: string): void => {
    for (const { rules } of roles.grants) {
      const found = granted.of(rules, access)
      if (namespace !== '' && isNamespaces) {
        // A grant in a namespace allows a get of the Namespace object of that name.
        if (found === 'all' || found?.names.has(namespace) === true) reach.addName(namespace)
      } else if (found === 'all') reach.addAll(namespace)
      else if (found !== undefined) reach.addNames(namespace, found)
    }
  }
  for (const roles of index.grantsOf(access.user, '')) add(roles, '')
  for (const [namespace, roles] of index.grantsByNamespace(access.user)) add(roles, namespace)
  return reach.build()
}

type Granted = 'all' | NameSet | undefined

/** The number of accesses whose names are kept for a role. */
const MOST_KNOWN = 16

/** The names for which each role allows an access. They are collected once for a role, because a role can have very many. */
class GrantedNames {
  readonly #known = new WeakMap<RoleRules, BoundedMap<string, { readonly names: Granted }>>()
  #sets = 0

  /** Undefined: the role does not allow the access. */
  of(rules: RoleRules, access: ResourceAccess): Granted {
    const { verb, group, resource, subresource = '' } = access
    const known = getOrInsert(this.#known, rules, () => new BoundedMap<string, { readonly names: Granted }>(MOST_KNOWN))
    const key = JSON.stringify([verb, group, resource, subresource])
    return getOrInsert(known, key, () => ({ names: this.#collect(rules, access) })).names
  }

  #collect({ byResource, wild }: RoleRules, access: ResourceAccess): Granted {
    const names = new Set<string>()
    for (const rules of [byResource.get(`${access.group}/${access.resource}`) ?? [], wild]) {
      for (const rule of rules) {
        const [name] = rule.resourceNames
        if (!allowsResource(rule, { ...access, name })) continue
        if (name === undefined) return 'all'
        for (const each of rule.resourceNames) names.add(each)
      }
    }
    return names.size === 0 ? undefined : { id: String(this.#sets++), names }
  }
}

function decide(index: RbacIndex, access: Access): Decision {
  const grant = access.kind === 'path' ? pathGrant(index, access) : resourceGrant(index, access)
  if (grant !== undefined) return { kind: 'allow', reason: grant.reason }
  const problems = problemsOf(index, access.user, namespaceOf(access))
  return problems === undefined ? NO_OPINION : { kind: 'no-opinion', reason: `RBAC: ${problems}` }
}

/** Paths belong to no namespace: only grants for the whole cluster count. */
export function namespaceOf(access: Access): string {
  return access.kind === 'path' ? '' : (access.namespace ?? '')
}

function pathGrant(index: RbacIndex, { user, verb, path }: PathAccess): Grant | undefined {
  for (const { paths } of index.grantsOf(user, '')) {
    const grant = paths.find(({ rules }) => rules.paths.some((rule) => allowsPath(rule, verb, path)))
    if (grant !== undefined) return grant
  }
  return undefined
}

function resourceGrant(index: RbacIndex, access: ResourceAccess): Grant | undefined {
  const { user, group, resource, subresource } = access
  const key =
    subresource === undefined || subresource === '' ? `${group}/${resource}` : `${group}/${resource}/${subresource}`
  for (const { byResource, wild } of index.grantsOf(user, namespaceOf(access))) {
    const allows = (rules: readonly PolicyRule[] | undefined): boolean =>
      rules?.some((rule) => allowsResource(rule, access)) === true
    const grant =
      byResource.get(key)?.find(({ rules }) => allows(rules.byResource.get(key))) ??
      wild.find(({ rules }) => allows(rules.wild))
    if (grant !== undefined) return grant
  }
  return undefined
}

function problemsOf(index: RbacIndex, user: User, namespace: string): string | undefined {
  const problems: string[] = []
  for (const grants of index.grantsOf(user, namespace)) problems.push(...grants.problems)
  return joinProblems(problems)
}

/** Everything that the roles of the user allow in the namespace, and in the whole cluster. */
export function rulesFor(index: RbacIndex, user: User, namespace: string): UserRules {
  const rules: PolicyRule[] = []
  for (const { grants } of index.grantsOf(user, namespace)) {
    for (const { rules: granted } of grants) for (const rule of granted.all) rules.push(rule)
  }
  return { rules, incomplete: false, problem: problemsOf(index, user, namespace) }
}
