// Reconciles the default RBAC roles and bindings at every start. Additions are kept, and objects with the autoupdate annotation set to
// `false` are left alone (P-145).
import type { ClusterRole, ClusterRoleBinding, LabelSelector, Role, RoleBinding } from '../api/gen/kinds.ts'
import { isKind } from '../api/kind-guard.ts'
import { annotationsOf, labelsOf } from '../api/object-members.ts'
import { API_LEVELS, type ApiLevel, byLevel, DEFAULT_LEVEL, isAtLevel } from '../api/level.ts'
import { type ApiObject, formatGroupVersion } from '../api/object.ts'
import { ruleDocument, rulesOf, type PolicyRule } from '../api/policy-rule.ts'
import { missingRules } from '../api/rule-coverage.ts'
import type { Value, ValueMap } from '../api/value.ts'
import { equalValues, own } from '../api/value.ts'
import { forEachAtOnce } from '../lib/together.ts'
import { createObject } from '../registry/create.ts'
import type { Resource } from '../registry/registry.ts'
import { CONTROLLER_ROLES } from './bootstrap-policy-controllers.ts'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES } from './bootstrap-policy.ts'
import type { ControllerParts } from './controllers.ts'
import { servedResource } from '../registry/served-resource.ts'
import { deleteOne, isReason, serverContext, updateLive } from './writes.ts'

const API_GROUP = 'rbac.authorization.k8s.io'
const RBAC = 'rbac.authorization.k8s.io_v1'
const AUTO_UPDATE = 'rbac.authorization.kubernetes.io/autoupdate'
const LABELS: ValueMap = { 'kubernetes.io/bootstrapping': 'rbac-defaults' }
const ANNOTATIONS: ValueMap = { [AUTO_UPDATE]: 'true' }

/** The largest number of concurrent writes. */
const PARALLEL = 32
const ATTEMPTS = 5

interface Wanted {
  readonly resource: Resource
  readonly namespace: string
  readonly name: string
  /** Not canonical: most objects are only compared. */
  readonly object: ApiObject
}

export interface MadeRole {
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

/**
 * Makes every default role and binding, and resolves to the existing ones. It skips an unreadable object under one of these names, and the
 * objects of a namespace that cannot be made. The start continues without them.
 */
export async function makeBootstrapRoles(
  parts: ControllerParts,
  level: ApiLevel,
  signal: AbortSignal,
): Promise<readonly MadeRole[]> {
  const made: MadeRole[] = []
  const wantedOnes = wantedObjects(parts, { level, gates: parts.gates }).toReversed()
  await forEachAtOnce(wantedOnes, { most: PARALLEL, signal }, async (wanted) => {
    const { resource, namespace, name } = wanted
    if (await make(parts, wanted, signal)) made.push({ kind: resource.kind, namespace, name })
  })
  return made
}

/** The default roles depend on the API level and on the gates. */
interface RoleSetting {
  readonly level: ApiLevel
  /** The gates that are on. */
  readonly gates: ReadonlySet<string>
}

const PLAIN: RoleSetting = { level: DEFAULT_LEVEL, gates: new Set() }

/** The rules of a new default cluster role. */
export function clusterRoleRules(name: string, setting = PLAIN): readonly PolicyRule[] {
  const role = policyAt(setting.level).clusterRoles.find((one) => one.name === name && isOn(one, setting))
  return role === undefined ? [] : rulesWith(role, setting)
}

/** Makes or repairs the object. Resolves to whether it exists and can be read. */
async function make(parts: ControllerParts, wanted: Wanted, signal: AbortSignal): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await makeOnce(parts, wanted, signal)
    } catch (error) {
      // Another server may do the same at this moment.
      if (!isReason(error, 'AlreadyExists', 'Conflict', 'NotFound')) throw error
      if (attempt < ATTEMPTS) continue
      const { resource, namespace, name } = wanted
      const reason = error instanceof Error ? error.message : String(error)
      parts.log.warn({ kind: resource.kind, namespace, name, reason }, 'could not reconcile default RBAC object')
      return false
    }
  }
}

async function makeOnce(parts: ControllerParts, wanted: Wanted, signal: AbortSignal): Promise<boolean> {
  const { resource, namespace, name } = wanted
  const context = serverContext(parts, namespace, signal)
  const key = { resource: resource.stored, namespace, name }
  const { item } = await parts.registry.store.get(key, { kind: 'any' }, signal)
  if (item !== undefined && item.kind !== 'object') return false
  const repaired = item && reconciled(item.object(), wanted.object)
  if (item !== undefined && repaired === undefined) return true
  const object = resource.toCanonical(wanted.object)
  if (item === undefined) {
    await createObject(parts.registry, resource, object, context)
  } else if (repaired === 'other role') {
    await deleteOne(parts, resource, { name }, context)
    await createObject(parts.registry, resource, object, context)
  } else {
    const change = (live: ApiObject): ApiObject => {
      const result = reconciled(live, object)
      return result === undefined || result === 'other role' ? live : result
    }
    await updateLive(parts, resource, { name, change }, context)
  }
  return true
}

/** The found object with the parts that it lacks. Undefined: it lacks nothing. `other role`: the binding must be replaced. */
export function reconciled(found: ApiObject, wanted: ApiObject): ApiObject | 'other role' | undefined {
  if (own(annotationsOf(found), AUTO_UPDATE) === 'false') return undefined
  if (isBinding(found) && isBinding(wanted) && !equalValues(found.roleRef, wanted.roleRef)) return 'other role'
  const metadata = {
    ...found.metadata,
    labels: { ...labelsOf(wanted), ...labelsOf(found) },
    annotations: { ...annotationsOf(wanted), ...annotationsOf(found) },
  }
  const repaired =
    isBinding(found) && isBinding(wanted)
      ? withSubjects(found, wanted)
      : withRules(withSelectors(found, wanted), wanted)
  const result = { ...repaired, metadata }
  return equalValues(result, found) ? undefined : result
}

type Binding = RoleBinding | ClusterRoleBinding

function isBinding(object: ApiObject): object is Binding {
  return isKind(object, `${RBAC}.RoleBinding`) || isKind(object, `${RBAC}.ClusterRoleBinding`)
}

function isRole(object: ApiObject): object is Role | ClusterRole {
  return isKind(object, `${RBAC}.Role`) || isKind(object, `${RBAC}.ClusterRole`)
}

function withSubjects(found: Binding, wanted: Binding): Binding {
  const subjects = withMissing(found.subjects ?? [], wanted.subjects ?? [])
  return subjects === undefined ? found : { ...found, subjects }
}

function withRules(found: ApiObject, wanted: ApiObject): ApiObject {
  if (!isRole(found) || !isRole(wanted)) return found
  const [held, rules] = [found.rules ?? [], wanted.rules ?? []]
  // Most roles lack nothing, and a search for missing rules would index all of them.
  if (rules.length === 0 || equalValues(held, rules)) return found
  const missing = missingRules(rulesOf(found), rulesOf(wanted))
  return missing.length === 0 ? found : { ...found, rules: [...held, ...missing.map(ruleDocument)] }
}

function withSelectors(found: ApiObject, wanted: ApiObject): ApiObject {
  const selectorsOf = (role: ApiObject): readonly LabelSelector[] =>
    (isKind(role, `${RBAC}.ClusterRole`) ? role.aggregationRule?.clusterRoleSelectors : undefined) ?? []
  const selectors = withMissing(selectorsOf(found), selectorsOf(wanted))
  return selectors === undefined ? found : { ...found, aggregationRule: { clusterRoleSelectors: selectors } }
}

/** The known items and the missing ones. Undefined if none is missing. */
function withMissing<T extends Value>(known: readonly T[], wanted: readonly T[]): readonly T[] | undefined {
  const missing = wanted.filter((item) => !known.some((other) => equalValues(other, item)))
  return missing.length === 0 ? undefined : [...known, ...missing]
}

function wantedObjects(parts: ControllerParts, setting: RoleSetting): Wanted[] {
  const [roles, bindings] = [rbac(parts, 'roles'), rbac(parts, 'rolebindings')]
  const [clusterRoles, clusterBindings] = [rbac(parts, 'clusterroles'), rbac(parts, 'clusterrolebindings')]
  const policy = policyAt(setting.level)
  const on = <T extends Gated>(lines: readonly T[]): readonly T[] => lines.filter((line) => isOn(line, setting))
  const ofControllers = on(policy.controllerRoles)
  return [
    ...on(policy.clusterRoleBindings).map((line) => bindingObject(clusterBindings, line)),
    ...ofControllers.map(({ name }) => bindingObject(clusterBindings, controllerBinding(name))),
    ...on(policy.roleBindings).map((line) => bindingObject(bindings, line)),
    ...on(policy.roles).map((line) => roleObject(roles, line, setting)),
    ...[...ofControllers, ...on(policy.clusterRoles)].map((line) => roleObject(clusterRoles, line, setting)),
  ]
}

function rbac(parts: ControllerParts, resource: string): Resource {
  return servedResource(parts.resources(), resource, API_GROUP)
}

interface Gated {
  /** The gate that must be on. */
  readonly gate: string | undefined
}

interface GatedRule extends Gated {
  readonly rule: PolicyRule
}

interface RoleLine extends Gated {
  readonly name: string
  readonly namespace: string
  /** The labels by which other roles aggregate this role. */
  readonly labels: readonly string[]
  /** The label by which this role aggregates other roles. */
  readonly aggregates: string | undefined
  readonly rules: GatedRule[]
}

const READ: readonly string[] = ['get', 'list', 'watch']
const WRITE: readonly string[] = ['create', 'delete', 'deletecollection', 'patch', 'update']
const VERBS: Readonly<Record<string, readonly string[]>> = { R: READ, W: WRITE, RW: [...READ, ...WRITE].sort() }

const policyAt = byLevel((level) => ({
  clusterRoles: parseRoles(CLUSTER_ROLES, level),
  controllerRoles: parseRoles(CONTROLLER_ROLES, level),
  roles: parseRoles(ROLES, level),
  clusterRoleBindings: parseBindings(CLUSTER_ROLE_BINDINGS, level),
  roleBindings: parseBindings(ROLE_BINDINGS, level),
}))

function isOn({ gate }: Gated, { gates }: RoleSetting): boolean {
  return gate === undefined || gates.has(gate)
}

function rulesWith({ rules }: RoleLine, setting: RoleSetting): readonly PolicyRule[] {
  return rules.flatMap((gated) => (isOn(gated, setting) ? [gated.rule] : []))
}

interface Line extends Gated {
  readonly text: string
}

/** The lines of a level, without their `since` and `if`. */
function* linesAt(level: ApiLevel, text: string): Generator<Line> {
  let isRoleThere = true
  for (const line of text.split('\n')) {
    const [ungated = '', gate] = line.split(' if ')
    const [plain = '', version] = ungated.split(' since ')
    const since = API_LEVELS.find((one) => one === version)
    const isThere = since === undefined || isAtLevel(level, { since })
    if (!line.startsWith(' ')) isRoleThere = isThere
    if (plain !== '' && isThere && isRoleThere) yield { text: plain, gate }
  }
}

/** Reads the lines of `bootstrap-policy.ts`. */
function parseRoles(table: string, level: ApiLevel): readonly RoleLine[] {
  const roles: RoleLine[] = []
  for (const { text, gate } of linesAt(level, table)) {
    if (text.startsWith(' ')) {
      roles.at(-1)?.rules.push({ rule: parseRule(text.trim()), gate })
      continue
    }
    const [place = '', ...marks] = text.split(' ')
    const marked = (sign: string): string[] =>
      marks.flatMap((mark) => (mark.startsWith(sign) ? [`${API_GROUP}/${mark.slice(1)}`] : []))
    roles.push({ ...placeOf(place), labels: marked('+'), aggregates: marked('=')[0], rules: [], gate })
  }
  return roles
}

function parseRule(line: string): PolicyRule {
  const [forPaths, forResources] = [line.split(' @ '), line.split(' | ')]
  const isPath = forPaths.length === 2
  const [verbs = '', groups = '', resources = '', names = ''] = isPath ? forPaths : forResources
  return {
    verbs: VERBS[verbs] ?? words(verbs),
    apiGroups: isPath ? [] : words(groups).map((group) => (group === 'core' ? '' : group)),
    resources: words(resources),
    resourceNames: words(names),
    nonResourceURLs: isPath ? words(groups) : [],
  }
}

function words(text: string): string[] {
  return text === '' ? [] : text.split(' ')
}

function placeOf(place: string): { readonly namespace: string; readonly name: string } {
  const slash = place.indexOf('/')
  return { namespace: place.slice(0, Math.max(slash, 0)), name: place.slice(slash + 1) }
}

function roleObject(resource: Resource, line: RoleLine, setting: RoleSetting): Wanted {
  const { name, namespace, labels, aggregates } = line
  const metadata = {
    name,
    annotations: ANNOTATIONS,
    labels: { ...LABELS, ...Object.fromEntries(labels.map((label) => [label, 'true'])) },
  }
  const aggregationRule =
    aggregates === undefined
      ? {}
      : { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [aggregates]: 'true' } }] } }
  const rules = rulesWith(line, setting).map(ruleDocument)
  const object = { ...typeOf(resource), metadata, rules, ...aggregationRule }
  return { resource, namespace, name, object }
}

function typeOf(resource: Resource): Pick<ApiObject, 'kind' | 'apiVersion'> {
  return { kind: resource.kind, apiVersion: formatGroupVersion(resource) }
}

interface BindingLine {
  readonly namespace: string
  readonly name: string
  readonly role: string
  readonly subjects: readonly string[]
}

function parseBindings(table: string, level: ApiLevel): readonly (BindingLine & Gated)[] {
  return Array.from(linesAt(level, table), ({ text, gate }) => {
    const [place = '', role = '', ...subjects] = text.split(' ')
    return { ...placeOf(place), role, subjects, gate }
  })
}

function controllerBinding(role: string): BindingLine {
  const account = role.slice(role.lastIndexOf(':') + 1)
  return { namespace: '', name: role, role, subjects: [`s:kube-system/${account}`] }
}

function bindingObject(resource: Resource, { namespace, name, role, subjects }: BindingLine): Wanted {
  const kind = resource.namespaced ? 'Role' : 'ClusterRole'
  const object = {
    ...typeOf(resource),
    metadata: { name, annotations: ANNOTATIONS, labels: LABELS },
    subjects: subjects.map(subjectOf),
    roleRef: { apiGroup: API_GROUP, kind, name: role },
  }
  return { resource, namespace, name, object }
}

function subjectOf(mark: string): ValueMap {
  const rest = mark.slice(2)
  if (mark.startsWith('s:')) return { kind: 'ServiceAccount', ...placeOf(rest) }
  return { kind: mark.startsWith('u:') ? 'User' : 'Group', apiGroup: API_GROUP, name: rest }
}
