// Roles and bindings, indexed by namespace, then by subject, then by resource. A decision reads only the rules that its user and groups are
// bound to, however many roles exist. An informer feeds the index.
import { mapOrEmpty, mapsOnly, textOrEmpty } from '../api/members.ts'
import type { ApiObject } from '../api/object.ts'
import type { StoredObject } from '../api/read.ts'
import { quoted } from '../api/field-error.ts'
import { type PolicyRule, rulesOf } from '../api/policy-rule.ts'
import type { User } from '../api/user.ts'
import type { ValueMap } from '../api/value.ts'
import { addToList, addToSet, getOrInsert, removeFromSet } from '../lib/map-entries.ts'

const RBAC_KINDS = ['ClusterRole', 'Role', 'ClusterRoleBinding', 'RoleBinding'] as const
export type RbacKind = (typeof RBAC_KINDS)[number]

export interface RoleReference {
  readonly kind: string
  readonly name: string
}

/** The rules of a role. All bindings of the role share them. */
export interface RoleRules {
  readonly all: readonly PolicyRule[]
  /** By `group/resource` and `group/resource/subresource`. Rules with stars, or with too many combinations, are in `wild`. */
  readonly byResource: ReadonlyMap<string, readonly PolicyRule[]>
  readonly wild: readonly PolicyRule[]
  readonly paths: readonly PolicyRule[]
}

/** A role that a subject has, and the first binding that grants it. */
export interface Grant {
  readonly rules: RoleRules
  /** `RBAC: allowed by …`, in reviews and audit annotations. */
  readonly reason: string
  readonly binding: Binding
  /** The subject of the binding that matches the user: `User "jane"` */
  readonly subject: string
}

/** The roles of a subject. Invariant: each role is here once, however many bindings grant it. So a small binding costs little. */
export interface GrantedRoles {
  readonly grants: readonly Grant[]
  /** The roles with rules under each key of `RoleRules.byResource`. */
  readonly byResource: ReadonlyMap<string, readonly Grant[]>
  readonly wild: readonly Grant[]
  readonly paths: readonly Grant[]
  /** An error for each role that a binding names and that does not exist. */
  readonly problems: readonly string[]
}

export interface Binding {
  readonly kind: 'ClusterRoleBinding' | 'RoleBinding'
  readonly namespace: string
  readonly name: string
  readonly role: RoleReference
  readonly subjects: readonly Subject[]
}

interface Subject {
  /** `u:` and the name of a user, or `g:` and the name of a group. */
  readonly key: string
  /** `User "jane"` */
  readonly description: string
}

/** The bindings of one subject in one namespace, or in the whole cluster. */
interface BoundSubject {
  readonly bindings: Map<Binding, Subject>
  compiled: GrantedRoles | undefined
  /** The generation of the roles from which `compiled` was made. */
  generation: number
}

type BySubject = Map<string, BoundSubject>

/** A role whose object is not parsed yet. */
type UnreadRole = Pick<StoredObject, 'namespace' | 'name' | 'object'>

/** The object is parsed at the first use: most roles are never used. */
class KnownRole {
  #unread: UnreadRole | undefined
  #rules: RoleRules | undefined

  constructor(unread: UnreadRole) {
    this.#unread = unread
  }

  get rules(): RoleRules {
    this.#rules ??= roleRules(rulesOf(this.#unread!.object()))
    this.#unread = undefined
    return this.#rules
  }
}

export class RbacIndex {
  /** By kind, then `namespace/name`. */
  readonly #roles = {
    ClusterRole: new Map<string, KnownRole>(),
    Role: new Map<string, KnownRole>(),
  }
  readonly #bindings = new Map<string, Binding>()
  /** By namespace. The key of the whole cluster is ''. */
  readonly #bound = new Map<string, BySubject>()
  /** By subject: the namespaces in which it is bound. */
  readonly #places = new Map<string, Set<string>>()
  #generation = 0

  put(kind: RbacKind, object: ApiObject): void {
    const { namespace, name } = placeOf(object)
    if (kind === 'ClusterRole' || kind === 'Role') {
      this.putUnread(kind, { namespace, name, object: () => object })
      return
    }
    this.remove(kind, namespace, name)
    const binding = bindingOf(kind, { namespace, name }, object)
    this.#bindings.set(bindingKey(kind, namespace, name), binding)
    const bySubject = getOrInsert(this.#bound, namespace, (): BySubject => new Map())
    for (const subject of binding.subjects) {
      const bound = getOrInsert(bySubject, subject.key, newBoundSubject)
      if (namespace !== '') addToSet(this.#places, subject.key, namespace)
      // The reason names the first subject that applies.
      if (!bound.bindings.has(binding)) bound.bindings.set(binding, subject)
      bound.generation = -1
    }
  }

  putUnread(kind: 'ClusterRole' | 'Role', role: UnreadRole): void {
    this.#generation++
    this.#roles[kind].set(keyOf(role.namespace, role.name), new KnownRole(role))
  }

  remove(kind: RbacKind, namespace: string, name: string): void {
    if (kind === 'ClusterRole' || kind === 'Role') {
      this.#generation++
      this.#roles[kind].delete(keyOf(namespace, name))
      return
    }
    const key = bindingKey(kind, namespace, name)
    const binding = this.#bindings.get(key)
    if (binding === undefined) return
    this.#bindings.delete(key)
    const bySubject = this.#bound.get(namespace)
    for (const subject of binding.subjects) {
      const bound = bySubject?.get(subject.key)
      if (bound === undefined) continue
      bound.bindings.delete(binding)
      bound.generation = -1
      if (bound.bindings.size > 0) continue
      bySubject?.delete(subject.key)
      removeFromSet(this.#places, subject.key, namespace)
    }
    if (bySubject?.size === 0) this.#bound.delete(namespace)
  }

  has(kind: RbacKind, namespace: string, name: string): boolean {
    if (kind === 'ClusterRole' || kind === 'Role') return this.#roles[kind].has(keyOf(namespace, name))
    return this.#bindings.has(bindingKey(kind, namespace, name))
  }

  /** Undefined: the role does not exist. `namespace` is the namespace of the binding. */
  rulesOfRole({ kind, name }: RoleReference, namespace: string): readonly PolicyRule[] | undefined {
    return this.#role({ kind, name }, namespace)?.rules.all
  }

  #role({ kind, name }: RoleReference, namespace: string): KnownRole | undefined {
    if (kind === 'ClusterRole') return this.#roles.ClusterRole.get(keyOf('', name))
    return kind === 'Role' ? this.#roles.Role.get(keyOf(namespace, name)) : undefined
  }

  /** The grants of the user and of each group in the whole cluster, then in the namespace. */
  *grantsOf(user: User, namespace: string): Iterable<GrantedRoles> {
    yield* this.#grantsIn('', user)
    if (namespace !== '') yield* this.#grantsIn(namespace, user)
  }

  /** The grants of the user and of each group in all other namespaces. */
  *grantsElsewhere(user: User, namespace: string): Iterable<GrantedRoles> {
    for (const other of this.#bound.keys()) {
      if (other !== '' && other !== namespace) yield* this.#grantsIn(other, user)
    }
  }

  /** The grants of the user and of each group by namespace, without grants in the whole cluster. */
  *grantsByNamespace(user: User): Iterable<readonly [string, GrantedRoles]> {
    const namespaces = new Set<string>()
    for (const key of [`u:${user.name}`, ...user.groups.map((group) => `g:${group}`)]) {
      for (const namespace of this.#places.get(key) ?? []) namespaces.add(namespace)
    }
    for (const namespace of namespaces) for (const grants of this.#grantsIn(namespace, user)) yield [namespace, grants]
  }

  *#grantsIn(namespace: string, user: User): Iterable<GrantedRoles> {
    const bySubject = this.#bound.get(namespace)
    if (bySubject === undefined) return
    const own = bySubject.get(`u:${user.name}`)
    if (own !== undefined) yield this.#compiled(own)
    for (const group of user.groups) {
      const bound = bySubject.get(`g:${group}`)
      if (bound !== undefined) yield this.#compiled(bound)
    }
  }

  #compiled(bound: BoundSubject): GrantedRoles {
    if (bound.compiled !== undefined && bound.generation === this.#generation) return bound.compiled
    const compiled = this.#compile(bound)
    bound.compiled = compiled
    bound.generation = this.#generation
    return compiled
  }

  #compile({ bindings }: BoundSubject): GrantedRoles {
    const granted = new Map<KnownRole, Grant>()
    const problems: string[] = []
    for (const [binding, subject] of bindings) {
      const role = this.#role(binding.role, binding.namespace)
      if (role === undefined) problems.push(missingRole(binding.role))
      else if (!granted.has(role)) {
        const reason = `RBAC: allowed by ${describeBinding(binding)} to ${subject.description}`
        granted.set(role, { rules: role.rules, reason, binding, subject: subject.description })
      }
    }
    const grants = [...granted.values()]
    const byResource = new Map<string, Grant[]>()
    for (const grant of grants) {
      for (const key of grant.rules.byResource.keys()) addToList(byResource, key, grant)
    }
    const wild = grants.filter(({ rules }) => rules.wild.length > 0)
    const paths = grants.filter(({ rules }) => rules.paths.length > 0)
    return { grants, byResource, wild, paths, problems }
  }
}

/** The largest number of keys of a rule. A rule with more combinations of groups and resources is in `wild`. */
const MAX_KEYS = 1_000
/** The largest number of entries under keys of a role. The rules behind them are in `wild`. */
const MAX_KEYS_OF_ROLE = 50_000

function roleRules(all: readonly PolicyRule[]): RoleRules {
  const byResource = new Map<string, PolicyRule[]>()
  const wild: PolicyRule[] = []
  const paths: PolicyRule[] = []
  let left = MAX_KEYS_OF_ROLE
  for (const rule of all) {
    if (rule.nonResourceURLs.length > 0) paths.push(rule)
    const keys = plainKeys(rule)
    left -= keys?.length ?? 0
    if (keys === undefined || left < 0) wild.push(rule)
    else for (const key of keys) addToList(byResource, key, rule)
  }
  return { all, byResource, wild, paths }
}

function plainKeys({ apiGroups, resources }: PolicyRule): readonly string[] | undefined {
  const hasStar = apiGroups.includes('*') || resources.some((resource) => resource === '*' || resource.startsWith('*/'))
  if (hasStar || apiGroups.length * resources.length > MAX_KEYS) return undefined
  return [...new Set(apiGroups.flatMap((group) => resources.map((resource) => `${group}/${resource}`)))]
}

function missingRole({ kind, name }: RoleReference): string {
  return `${kind.toLowerCase()}.rbac.authorization.k8s.io ${quoted(name)} not found`
}

function describeBinding({ kind, namespace, name, role }: Binding): string {
  const shown = kind === 'RoleBinding' ? `${name}/${namespace}` : name
  return `${kind} ${quoted(shown)} of ${role.kind} ${quoted(role.name)}`
}

function bindingOf(
  kind: Binding['kind'],
  { namespace, name }: { readonly namespace: string; readonly name: string },
  object: ApiObject,
): Binding {
  return {
    kind,
    namespace,
    name,
    role: roleReferenceOf(object),
    subjects: mapsOnly(object, 'subjects').flatMap((subject) => subjectOf(subject, namespace)),
  }
}

export function roleReferenceOf(binding: ValueMap): RoleReference {
  const role = mapOrEmpty(binding, 'roleRef')
  return { kind: textOrEmpty(role, 'kind'), name: textOrEmpty(role, 'name') }
}

/** Service accounts are looked up by their full user name. Without a namespace, they belong to the namespace of the binding (P-130). */
function subjectOf(subject: ValueMap, bindingNamespace: string): readonly Subject[] {
  const kind = textOrEmpty(subject, 'kind')
  const name = textOrEmpty(subject, 'name')
  switch (kind) {
    case 'User':
      return [{ key: `u:${name}`, description: `User ${quoted(name)}` }]
    case 'Group':
      return [{ key: `g:${name}`, description: `Group ${quoted(name)}` }]
    case 'ServiceAccount': {
      const namespace = textOrEmpty(subject, 'namespace') === '' ? bindingNamespace : textOrEmpty(subject, 'namespace')
      if (namespace === '') return []
      const description = `ServiceAccount ${quoted(`${name}/${namespace}`)}`
      return [{ key: `u:system:serviceaccount:${namespace}:${name}`, description }]
    }
    default:
      return []
  }
}

function placeOf({ metadata }: ApiObject): { readonly namespace: string; readonly name: string } {
  return { namespace: textOrEmpty(metadata, 'namespace'), name: textOrEmpty(metadata, 'name') }
}

function keyOf(namespace: string, name: string): string {
  return `${namespace}/${name}`
}

function bindingKey(kind: Binding['kind'], namespace: string, name: string): string {
  return `${kind}/${namespace}/${name}`
}

function newBoundSubject(): BoundSubject {
  return { bindings: new Map(), compiled: undefined, generation: -1 }
}
