// Aggregated cluster roles (P-134): whenever a role changes, each aggregated role gets the rules of the roles that it selects, in the order
// of their names, each rule once.
import type { ManagedFieldsEntry, PolicyRule } from '../api/gen/kinds.ts'
import { isKind } from '../api/kind-guard.ts'
import { metaOf, metaText, withMeta } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import type { StoredObject } from '../api/read.ts'
import { matchesLabels, type LabelSelector } from '../api/selector.ts'
import { labelSelectorOf } from '../api/selector-text.ts'
import type { MapOf, ValueMap } from '../api/value.ts'
import { equalValues, isMap, own } from '../api/value.ts'
import type { Controller, ControllerParts } from './controllers.ts'
import { keyedController } from './keyed-controller.ts'
import { controllerContext, succeeds, updateLive } from './writes.ts'
import { servedResource } from '../registry/served-resource.ts'

const NAME = 'clusterrole-aggregation-controller'

interface Role {
  readonly name: string
  readonly labels: MapOf<string> | undefined
  readonly rules: readonly PolicyRule[]
  /** Undefined: the role has rules of its own. */
  readonly selectors: readonly LabelSelector[] | undefined
}

export function roleAggregation(parts: ControllerParts): Controller {
  return keyedController(parts, { name: NAME, workers: 1 }, (queue) => {
    const roles = new Map<string, Role>()
    const aggregated = new Set<string>()
    let isComplete = false
    const changed = (): void => {
      // Before all roles are known, rules would be missing.
      if (isComplete) for (const name of aggregated) queue.add(name)
    }
    const onPresent = (object: StoredObject): void => {
      const role = roleOf(object.object())
      roles.set(role.name, role)
      if (role.selectors === undefined) aggregated.delete(role.name)
      else aggregated.add(role.name)
      changed()
    }
    const onGone = ({ name }: StoredObject): void => {
      roles.delete(name)
      aggregated.delete(name)
      changed()
    }
    const onSynced = (): void => {
      isComplete = true
      changed()
    }
    const type = servedResource(parts.resources(), 'clusterroles', 'rbac.authorization.k8s.io')
    const work = (name: string, signal: AbortSignal): Promise<void> => aggregate(parts, roles, name, signal)
    return { followed: [{ type, onPresent, onGone }], onSynced, work }
  })
}

async function aggregate(
  parts: ControllerParts,
  roles: ReadonlyMap<string, Role>,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const role = roles.get(name)
  if (role?.selectors === undefined) return
  const rules = aggregatedRules([...roles.values()], role)
  if (equalValues(rules, role.rules)) return
  const context = { ...controllerContext(parts, '', signal), fieldManager: NAME }
  // The role may no longer be aggregated. Then its rules are its own.
  const change = (live: ApiObject): ApiObject =>
    own(live, 'aggregationRule') === undefined ? live : withApplied(live, rules, context.now)
  const resource = servedResource(parts.resources(), 'clusterroles', 'rbac.authorization.k8s.io')
  await succeeds(updateLive(parts, resource, { name, change, tracksFields: true }, context), 'NotFound')
}

/** The role with the rules, as after a forced apply: this manager alone owns them. If there are no rules, the manager owns nothing. */
function withApplied(live: ApiObject, rules: readonly PolicyRule[], now: string): ApiObject {
  const { managedFields: entries = [] } = metaOf(live)
  const isMine = ({ manager }: ManagedFieldsEntry): boolean => manager === NAME
  if (rules.length === 0 && !entries.some(isMine)) return live
  const others = entries.filter((entry) => !isMine(entry)).flatMap((entry) => withoutRules(entry))
  const { apiVersion } = live
  const mine = { manager: NAME, operation: 'Apply', apiVersion, time: now, fieldsType: 'FieldsV1', fieldsV1: OWNED }
  return withMeta({ ...live, rules }, { managedFields: rules.length === 0 ? others : [mine, ...others] })
}

const OWNED: ValueMap = { 'f:rules': {} }

/** The entry without the rules. Empty if it had only rules. */
function withoutRules(entry: ManagedFieldsEntry): readonly ManagedFieldsEntry[] {
  const { fieldsV1: fields } = entry
  if (!isMap(fields) || !Object.hasOwn(fields, 'f:rules')) return [entry]
  const { 'f:rules': _rules, ...rest } = fields
  return Object.keys(rest).length === 0 ? [] : [{ ...entry, fieldsV1: rest }]
}

function aggregatedRules(all: readonly Role[], { name, selectors = [] }: Role): readonly PolicyRule[] {
  const others = all.filter((role) => role.name !== name).sort((a, b) => (a.name < b.name ? -1 : 1))
  const rules = new Map<string, PolicyRule>()
  for (const selector of selectors) {
    for (const role of others) {
      if (!matchesLabels(selector, role.labels)) continue
      // Stored rules are canonical: equal rules have the same text.
      for (const rule of role.rules) {
        const text = JSON.stringify(rule)
        if (!rules.has(text)) rules.set(text, rule)
      }
    }
  }
  return [...rules.values()]
}

function roleOf(object: ApiObject): Role {
  const role = isKind(object, 'rbac.authorization.k8s.io_v1.ClusterRole') ? object : undefined
  return {
    name: metaText(object, 'name'),
    labels: metaOf(object).labels,
    rules: role?.rules ?? [],
    selectors: role?.aggregationRule?.clusterRoleSelectors?.flatMap((selector) => labelSelectorOf(selector) ?? []),
  }
}
