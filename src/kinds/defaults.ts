// Which defaults the objects of a built-in kind have.
import type { GroupVersionKind } from '../api/object.ts'
import type { Rule } from '../schema/defaults/rule.ts'
import { ADMISSION_REGISTRATION } from './admissionregistration/defaults.ts'
import { NETWORKING } from './networking/networking-defaults.ts'
import { API_EXTENSIONS, API_REGISTRATION, FLOW_CONTROL, RBAC, RESOURCE } from './shared/platform-defaults.ts'
import { STORAGE } from './storage/storage-defaults.ts'

/** The rule of each kind, by group and then by kind; versions of a group differ only where its file says so. */
const KINDS: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  'admissionregistration.k8s.io': ADMISSION_REGISTRATION,
  'apiextensions.k8s.io': API_EXTENSIONS,
  'apiregistration.k8s.io': API_REGISTRATION,
  'flowcontrol.apiserver.k8s.io': FLOW_CONTROL,
  'networking.k8s.io': NETWORKING,
  'rbac.authorization.k8s.io': RBAC,
  'resource.k8s.io': RESOURCE,
  'storage.k8s.io': STORAGE,
}

/** The rule of a built-in kind; undefined where it has no defaults. */
export function defaultsOf({ group, kind }: GroupVersionKind): Rule | undefined {
  const kinds = Object.hasOwn(KINDS, group) ? KINDS[group] : undefined
  return kinds !== undefined && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined
}
