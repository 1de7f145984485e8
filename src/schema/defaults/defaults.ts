// The front door: an object as it is meant, with every default of its kind filled in and every field that has two
// spellings rewritten to both. Objects are decoded already; the same object comes back where nothing is to be filled in.
import type { ApiObject, GroupVersionKind } from '../../api/object.ts'
import { NETWORKING } from './networking.ts'
import type { DefaultsContext, Rule } from './rule.ts'

export type { DefaultsContext } from './rule.ts'

/** The rule of each kind, by group and then by kind; versions of a group differ only where its file says so. */
const KINDS: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  'networking.k8s.io': NETWORKING,
}

export function applyDefaults(gvk: GroupVersionKind, object: ApiObject, context: DefaultsContext): ApiObject {
  const kinds = Object.hasOwn(KINDS, gvk.group) ? KINDS[gvk.group] : undefined
  const rule = kinds !== undefined && Object.hasOwn(kinds, gvk.kind) ? kinds[gvk.kind] : undefined
  return rule === undefined ? object : (rule(object, context, object) as ApiObject)
}
