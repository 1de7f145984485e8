// The front door: an object as it is meant, with every default of its kind filled in and every field that has two
// spellings rewritten to both. Objects are decoded already; the same object comes back where nothing is to be filled in.
import type { ApiObject, GroupVersionKind } from '../../api/object.ts'
import { ADMISSION_REGISTRATION } from './admission-registration.ts'
import { APPS } from './apps.ts'
import { AUTOSCALING } from './autoscaling.ts'
import { BATCH } from './batch.ts'
import { CORE } from './core.ts'
import { NETWORKING } from './networking.ts'
import {
  API_EXTENSIONS,
  API_REGISTRATION,
  AUTHENTICATION,
  DISCOVERY,
  FLOW_CONTROL,
  RBAC,
  RESOURCE,
  SCHEDULING,
} from './platform.ts'
import type { DefaultsContext, Rule } from './rule.ts'
import { STORAGE } from './storage.ts'

export type { DefaultsContext } from './rule.ts'

/** The rule of each kind, by group and then by kind; versions of a group differ only where its file says so. */
const KINDS: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  '': CORE,
  'admissionregistration.k8s.io': ADMISSION_REGISTRATION,
  'apiextensions.k8s.io': API_EXTENSIONS,
  'apiregistration.k8s.io': API_REGISTRATION,
  apps: APPS,
  'authentication.k8s.io': AUTHENTICATION,
  autoscaling: AUTOSCALING,
  batch: BATCH,
  'discovery.k8s.io': DISCOVERY,
  'flowcontrol.apiserver.k8s.io': FLOW_CONTROL,
  'networking.k8s.io': NETWORKING,
  'rbac.authorization.k8s.io': RBAC,
  'resource.k8s.io': RESOURCE,
  'scheduling.k8s.io': SCHEDULING,
  'storage.k8s.io': STORAGE,
}

export function applyDefaults(gvk: GroupVersionKind, object: ApiObject, context: DefaultsContext): ApiObject {
  const kinds = Object.hasOwn(KINDS, gvk.group) ? KINDS[gvk.group] : undefined
  const rule = kinds !== undefined && Object.hasOwn(kinds, gvk.kind) ? kinds[gvk.kind] : undefined
  return rule === undefined ? object : (rule(object, context, object) as ApiObject)
}
