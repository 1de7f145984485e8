// Which rules the objects of a built-in kind are held to.
import type { GroupVersionKind } from '../api/object.ts'
import type { GroupRules } from '../schema/validation/rules.ts'
import { type KindRules, METADATA_RULES } from '../schema/validation/validation.ts'
import { ADMISSION_RULES } from './admissionregistration/admission-policy.ts'
import { API_EXTENSIONS_RULES } from './apiextensions/custom-resource-definition/validation.ts'
import { API_REGISTRATION_RULES } from './apiregistration/api-service.ts'
import { AUTHENTICATION_RULES, AUTHORIZATION_RULES } from './authorization/access-review.ts'
import { AUTOSCALING_RULES } from './autoscaling/horizontal-pod-autoscaler/validation.ts'
import { cronJob } from './batch/cron-job.ts'
import { job } from './batch/job/validation.ts'
import { CERTIFICATES_RULES } from './certificates/certificate-signing-request.ts'
import { CORE_RULES } from './core/core.ts'
import { endpointSlice } from './core/endpoints.ts'
import { FLOW_CONTROL_RULES } from './flowcontrol/flow-control.ts'
import { NETWORKING_RULES } from './networking/networking.ts'
import { RBAC_RULES } from './rbac/rbac.ts'
import { RESOURCE_RULES } from './resource/device-claim.ts'
import { event } from './shared/event.ts'
import { COORDINATION_RULES, NODE_RULES, POLICY_RULES, SCHEDULING_RULES } from './shared/small-groups.ts'
import { STORAGE_RULES } from './storage/storage.ts'

const RULES: Readonly<Record<string, GroupRules>> = {
  '': CORE_RULES,
  'admissionregistration.k8s.io': ADMISSION_RULES,
  'apiextensions.k8s.io': API_EXTENSIONS_RULES,
  'apiregistration.k8s.io': API_REGISTRATION_RULES,
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

export function rulesOf({ group, kind }: GroupVersionKind): KindRules {
  const rules = Object.hasOwn(RULES, group) ? RULES[group] : undefined
  return rules !== undefined && Object.hasOwn(rules, kind) ? (rules[kind] ?? METADATA_RULES) : METADATA_RULES
}
