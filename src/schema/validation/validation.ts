// The front door: what is wrong with an object of a kind that is to be created or changed. Objects are decoded and
// defaulted already. The faults come in the order of the reference, with its paths and words; an empty list means that
// the object may be stored. Nothing here throws, whatever the object holds.
import { faultsInTurns, faultsOf } from '../../api/fault-list.ts'
import type { FieldError } from '../../api/field-error.ts'
import type { FieldPath } from '../../api/field-path.ts'
import type { GroupVersionKind } from '../../api/object.ts'
import type { ValueMap } from '../../api/value.ts'
import type { Turns } from '../../lib/turns.ts'
import { AUTHENTICATION_RULES, AUTHORIZATION_RULES } from './access-review.ts'
import { ADMISSION_RULES } from './admission-policy.ts'
import { API_REGISTRATION_RULES } from './api-service.ts'
import { APPS_RULES } from './apps.ts'
import { AUTOSCALING_RULES } from './autoscaling.ts'
import { CERTIFICATES_RULES } from './certificates.ts'
import { Check, type ValidationContext } from './check.ts'
import { CORE_RULES } from './core.ts'
import { cronJob } from './cron-job.ts'
import { API_EXTENSIONS_RULES } from './custom-resource-definition.ts'
import { RESOURCE_RULES } from './device-claim.ts'
import { endpointSlice } from './endpoints.ts'
import { event } from './event.ts'
import { FLOW_CONTROL_RULES } from './flow-control.ts'
import { job } from './job.ts'
import { has } from './members.ts'
import { NETWORKING_RULES } from './networking.ts'
import { checkCommonMeta, checkMeta, checkMetaUpdate, subdomainName } from './object-meta.ts'
import { RBAC_RULES } from './rbac.ts'
import type { GroupRules, KindRules, UpdateRule } from './rules.ts'
import { COORDINATION_RULES, NODE_RULES, POLICY_RULES, SCHEDULING_RULES } from './small-groups.ts'
import { checkAddresses } from './service-addresses.ts'
import { STORAGE_RULES } from './storage.ts'

export type { ValidationContext } from './check.ts'
export { dns1035Label, labelValue, pathSegment } from './formats.ts'
export { authorityFault } from './pem.ts'
export { qosOf } from './pod-resize.ts'

export interface Change {
  readonly object: ValueMap
  /** The object as it is stored. */
  readonly stored: ValueMap
}

/** The faults of an object that is to be created. */
export function validateCreate(
  gvk: GroupVersionKind,
  object: ValueMap,
  context: ValidationContext,
): readonly FieldError[] {
  return faultsOf((list) => {
    const check = new Check(context, list)
    const rules = rulesOf(gvk)
    rules.create(object, check)
    if (check.errors.length === 0 && rules.isQuestion !== true) checkCommonMeta(object, check)
  })
}

/** The same for a large object, in turns. */
export async function validateCreateInTurns(
  gvk: GroupVersionKind,
  object: ValueMap,
  { turns, ...context }: ValidationContext & { readonly turns: Turns },
): Promise<readonly FieldError[]> {
  return faultsInTurns(turns, (list) => {
    const check = new Check(context, list)
    const rules = rulesOf(gvk)
    const own = (): void => rules.create(object, check)
    return rules.isQuestion === true ? [own] : [own, () => checkCommonMeta(object, check)]
  })
}

/** The faults of an object that is to take the place of the stored one. */
export function validateUpdate(
  gvk: GroupVersionKind,
  change: Change,
  context: ValidationContext,
): readonly FieldError[] {
  return changed(change, rulesOf(gvk).update, context)
}

/** The faults of the addresses that a service asks for, on their own: they are looked at before any is given. */
export function validateServiceAddresses(spec: ValueMap, context: ValidationContext): readonly FieldError[] {
  return faultsOf((list) => checkAddresses(spec, undefined, new Check(context, list)))
}

export interface SubresourceChange extends Change {
  /** `status`, `approval`, `ephemeralcontainers`, `resize`, `finalize`, … */
  readonly subresource: string
}

/** The faults of a change that comes through a subresource; `object` is the whole object as it would be stored. */
export function validateSubresource(
  gvk: GroupVersionKind,
  change: SubresourceChange,
  context: ValidationContext,
): readonly FieldError[] {
  const rule = rulesOf(gvk).subresources?.[change.subresource] ?? checkMetaUpdate
  return changed(change, rule, context)
}

/** Metadata is checked for every kind first, and again by the kind's own rules: causes repeat on updates (W-007). */
function changed({ object, stored }: Change, rule: UpdateRule, context: ValidationContext): readonly FieldError[] {
  return faultsOf((list) => {
    const check = new Check(context, list)
    checkCommonMeta(object, check)
    checkMetaUpdate(object, stored, check)
    rule(object, stored, check)
  })
}

/** The faults of the metadata of an object that stands inside another, at `at`; it needs no name. */
export function validateEmbeddedMetadata(metadata: ValueMap, at: FieldPath): readonly FieldError[] {
  const named = has(metadata, 'name') ? metadata : { ...metadata, name: 'name' }
  const context = { gates: new Set<string>(), namespaced: has(metadata, 'namespace') }
  const faults = faultsOf((list) => checkCommonMeta({ metadata: named }, new Check(context, list)))
  return faults.map((error) => ({ ...error, field: `${at.toString()}${error.field.slice('metadata'.length)}` }))
}

const RULES: Readonly<Record<string, GroupRules>> = {
  '': CORE_RULES,
  'admissionregistration.k8s.io': ADMISSION_RULES,
  'apiextensions.k8s.io': API_EXTENSIONS_RULES,
  'apiregistration.k8s.io': API_REGISTRATION_RULES,
  apps: APPS_RULES,
  'authentication.k8s.io': AUTHENTICATION_RULES,
  'authorization.k8s.io': AUTHORIZATION_RULES,
  autoscaling: AUTOSCALING_RULES,
  batch: { CronJob: cronJob, Job: job },
  'certificates.k8s.io': CERTIFICATES_RULES,
  'coordination.k8s.io': COORDINATION_RULES,
  'discovery.k8s.io': { EndpointSlice: endpointSlice },
  'events.k8s.io': { Event: event },
  'flowcontrol.apiserver.k8s.io': FLOW_CONTROL_RULES,
  'networking.k8s.io': NETWORKING_RULES,
  'node.k8s.io': NODE_RULES,
  policy: POLICY_RULES,
  'rbac.authorization.k8s.io': RBAC_RULES,
  'resource.k8s.io': RESOURCE_RULES,
  'scheduling.k8s.io': SCHEDULING_RULES,
  'storage.k8s.io': STORAGE_RULES,
}

/** Kinds that are not built in have rules for their metadata; the rest is in their schema. */
const CUSTOM_RULES: KindRules = {
  create: (object, check) => checkMeta(object, subdomainName, check),
  update: checkMetaUpdate,
}

function rulesOf({ group, kind }: GroupVersionKind): KindRules {
  const rules = Object.hasOwn(RULES, group) ? RULES[group] : undefined
  return rules !== undefined && Object.hasOwn(rules, kind) ? (rules[kind] ?? CUSTOM_RULES) : CUSTOM_RULES
}
