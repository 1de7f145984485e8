// Privilege escalation prevention: a user who writes a role or binding needs all permissions that it grants, or the verb `escalate` or
// `bind` (P-138 to P-142).
import { quoted } from '../../api/field-error.ts'
import { metaOf, metaText, withMeta } from '../../api/object-members.ts'
import type { ApiObject } from '../../api/object.ts'
import { describeRule, type PolicyRule, quotedList, rulesOf } from '../../api/policy-rule.ts'
import { missingRulesInSteps } from '../../api/rule-coverage.ts'
import { own } from '../../api/value.ts'
import { RbacIndex, type RbacKind, roleReferenceOf } from '../../auth/rbac-index.ts'
import { rulesFor } from '../../auth/rbac.ts'
import { MASTERS } from '../../auth/user.ts'
import { runInTurns, Turns } from '../../lib/turns.ts'
import { forbiddenError, notFoundError } from '../../registry/errors.ts'
import type { GuardedWrite, RegistryParts, WriteContext } from '../../registry/registry.ts'
import type { FindResource, KindNeeds, RoleGuard } from '../needs.ts'
import { semanticallyEqual } from '../shared/semantic-equality.ts'
import type { KindStrategy } from '../strategy.ts'

const GROUP = 'rbac.authorization.k8s.io'

const RESOURCES: Readonly<Record<RbacKind, string>> = {
  ClusterRole: 'clusterroles',
  Role: 'roles',
  ClusterRoleBinding: 'clusterrolebindings',
  RoleBinding: 'rolebindings',
}

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [], nonResourceURLs: [] },
  { verbs: ['*'], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ['*'] },
]

/** A refusal lists about as many rules. */
const MOST_SHOWN = 1000

export function roleStrategy(
  kind: RbacKind,
): (needs: KindNeeds) => Pick<KindStrategy, 'createOnUpdate' | 'authorizeWrite'> {
  return ({ roleGuard, find }) => ({
    createOnUpdate: true,
    ...(roleGuard && { authorizeWrite: escalationCheck(kind, roleGuard, find) }),
  })
}

function escalationCheck(
  kind: RbacKind,
  guard: RoleGuard,
  find: FindResource,
): NonNullable<KindStrategy['authorizeWrite']> {
  const turns = new Turns()
  return async (write, context, parts) => {
    if (context.user.groups.includes(MASTERS) || changesGarbageCollectionOnly(write)) return
    if (await may(bypass(write, context), context)) return
    // The index may be stale: before refusing, the stored roles and bindings are read.
    if ((await refusal(guard.index, write, context)) === undefined) return
    const refused = await refusal(await storedNow(parts, context), write, context)
    if (refused !== undefined) throw refused
  }

  /** The permission that bypasses the check: `escalate` on a written role, or `bind` on the role of a binding. */
  function bypass({ object, name }: GuardedWrite, { namespace }: WriteContext): Asked {
    if (kind === 'ClusterRole' || kind === 'Role') {
      return { verb: 'escalate', resource: RESOURCES[kind], namespace, name }
    }
    const role = roleReferenceOf(object)
    const resource = role.kind === 'ClusterRole' ? 'clusterroles' : role.kind === 'Role' ? 'roles' : ''
    return { verb: 'bind', resource, namespace, name: role.name }
  }

  async function may({ verb, resource, namespace, name }: Asked, { user, signal }: WriteContext): Promise<boolean> {
    if (resource === '') return false
    const place = { group: GROUP, version: '*', resource, namespace: namespace || undefined, name: name || undefined }
    const decision = await guard.authorizer.authorize({ kind: 'resource', user, verb, ...place }, signal)
    return decision.kind === 'allow'
  }

  async function refusal(
    index: RbacIndex,
    { object, stored }: GuardedWrite,
    { user, namespace }: WriteContext,
  ): Promise<Error | undefined> {
    const resource = { group: GROUP, resource: RESOURCES[kind] }
    const name = metaText(object, 'name')
    const held = rulesFor(index, user, namespace)
    const lacking: Lacking = async (wanted) => {
      const missing = await runInTurns(missingRulesInSteps(held.rules, wanted, MOST_SHOWN), turns)
      if (missing.length === 0) return undefined
      const who = `user ${quoted(user.name)} (groups=${quotedList(user.groups)})`
      const lines = [...new Set(missing.map(describeRule))].sort().join('\n')
      const problem = held.problem === undefined ? '' : `; resolution errors: [${plural(held.problem)}]`
      return `${who} is attempting to grant RBAC permissions not currently held:\n${lines}${problem}`
    }
    const refuse = (why: string | undefined): Error | undefined =>
      why === undefined ? undefined : forbiddenError(resource, name, why)
    if (kind === 'ClusterRole' || kind === 'Role') {
      return refuse((await lacking(rulesOf(object))) ?? (await aggregationFault(lacking, object, stored)))
    }
    const role = roleReferenceOf(object)
    const rules = index.rulesOfRole(role, namespace)
    // Validation reports an invalid kind of role.
    if (rules === undefined) return Object.hasOwn(RESOURCES, role.kind) ? notFoundError(resource, role.name) : undefined
    return refuse(await lacking(rules))
  }

  async function storedNow({ store }: RegistryParts, { namespace, signal }: WriteContext): Promise<RbacIndex> {
    const index = new RbacIndex()
    for (const [kind, name] of Object.entries(RESOURCES) as [RbacKind, string][]) {
      const resource = find(GROUP, name)
      if (resource === undefined || (resource.namespaced && namespace === '')) continue
      const within = resource.namespaced ? { namespace } : {}
      const request = { resource: resource.stored, at: { kind: 'latest' }, skipUnreadable: true, ...within } as const
      const { batches } = await store.list(request, signal)
      for await (const batch of batches) {
        for (const item of batch) {
          if (turns.isOver) await turns.next()
          index.put(kind, item.object())
        }
      }
    }
    return index
  }
}

/** The reason why the user may not grant the rules. Undefined: the user holds all of them. */
type Lacking = (wanted: readonly PolicyRule[]) => Promise<string | undefined>

/** A role that aggregates other roles can get any rule, so its writer needs all permissions. */
async function aggregationFault(
  lacking: Lacking,
  ...roles: readonly (ApiObject | undefined)[]
): Promise<string | undefined> {
  const aggregates = roles.some((role) => role !== undefined && own(role, 'aggregationRule') !== undefined)
  if (!aggregates || (await lacking(EVERYTHING)) === undefined) return undefined
  return 'must have cluster-admin privileges to use the aggregationRule'
}

interface Asked {
  readonly verb: string
  readonly resource: string
  readonly namespace: string
  readonly name: string
}

/** Whether only finalizers and owner references change. The garbage collector writes them, and they grant nothing (P-141). */
function changesGarbageCollectionOnly({ object, stored }: GuardedWrite): boolean {
  if (stored === undefined) return false
  const kept = ['ownerReferences', 'finalizers', 'managedFields'] as const
  const restored = Object.fromEntries(kept.map((field) => [field, metaOf(stored)[field]]))
  return semanticallyEqual(withMeta(object, restored), stored)
}

/** The reference uses the plural in this message. */
function plural(problem: string): string {
  return problem.replace(/\b(clusterrole|role)\./g, '$1s.')
}
