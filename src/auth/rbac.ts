// The RBAC authorizer, and the rules of a user (P-116, P-125 to P-130). It never denies.
import { allowsPath, allowsResource, type PolicyRule } from '../api/policy-rule.ts'
import { type Reach, ReachBuilder } from '../api/reach.ts'
import type { User } from '../api/user.ts'
import type { Access, Authorizer, Decision, PathAccess, ResourceAccess, UserRules } from './authorizer.ts'
import { joinProblems, readAccess } from './authorizer.ts'
import type { Grant, GrantedRoles, RbacIndex } from './rbac-index.ts'

const NO_OPINION: Decision = { kind: 'no-opinion' }

export function rbacAuthorizer(index: RbacIndex): Authorizer {
  return {
    authorize: (access) => decide(index, access),
    reachOf: (access) => reachOf(index, access),
    rulesFor: (user, namespace) => rulesFor(index, user, namespace),
  }
}

function reachOf(index: RbacIndex, asked: ResourceAccess): Reach {
  const { access, isNamespaces } = readAccess(asked)
  const reach = new ReachBuilder()
  for (const names of namesIn(index.grantsOf(access.user, ''), access)) reach.add('', names)
  for (const [namespace, grants] of index.grantsByNamespace(access.user)) {
    for (const names of namesIn([grants], access)) {
      if (!isNamespaces) reach.add(namespace, names)
      else if (names.length === 0 || names.includes(namespace)) reach.add('', [namespace])
    }
  }
  return reach.build()
}

/** The resource names of each rule that allows the access. An empty list stands for all names. */
function* namesIn(granted: Iterable<GrantedRoles>, access: ResourceAccess): Iterable<readonly string[]> {
  const key = `${access.group}/${access.resource}`
  for (const { byResource, wild } of granted) {
    const found = (byResource.get(key) ?? []).flatMap(({ rules }) => rules.byResource.get(key) ?? [])
    for (const rule of [...found, ...wild.flatMap(({ rules }) => rules.wild)]) {
      const [name] = rule.resourceNames
      if (allowsResource(rule, { ...access, name })) yield rule.resourceNames
    }
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
