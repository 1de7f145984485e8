// Which rules the objects of a built-in kind are held to.
import type { GroupVersionKind } from '../api/object.ts'
import type { GroupRules } from '../schema/validation/rules.ts'
import { type KindRules, METADATA_RULES } from '../schema/validation/validation.ts'
import { ADMISSION_RULES } from './admissionregistration/admission-policy.ts'
import { API_EXTENSIONS_RULES } from './apiextensions/custom-resource-definition/validation.ts'
import { API_REGISTRATION_RULES } from './apiregistration/api-service.ts'
import { FLOW_CONTROL_RULES } from './flowcontrol/flow-control.ts'
import { NETWORKING_RULES } from './networking/networking.ts'
import { RBAC_RULES } from './rbac/rbac.ts'
import { RESOURCE_RULES } from './resource/device-claim.ts'
import { STORAGE_RULES } from './storage/storage.ts'

const RULES: Readonly<Record<string, GroupRules>> = {
  'admissionregistration.k8s.io': ADMISSION_RULES,
  'apiextensions.k8s.io': API_EXTENSIONS_RULES,
  'apiregistration.k8s.io': API_REGISTRATION_RULES,
  'flowcontrol.apiserver.k8s.io': FLOW_CONTROL_RULES,
  'networking.k8s.io': NETWORKING_RULES,
  'rbac.authorization.k8s.io': RBAC_RULES,
  'resource.k8s.io': RESOURCE_RULES,
  'storage.k8s.io': STORAGE_RULES,
}

export function rulesOf({ group, kind }: GroupVersionKind): KindRules {
  const rules = Object.hasOwn(RULES, group) ? RULES[group] : undefined
  return rules !== undefined && Object.hasOwn(rules, kind) ? (rules[kind] ?? METADATA_RULES) : METADATA_RULES
}
