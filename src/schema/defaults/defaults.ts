// The front door: an object as it is meant, with every default of its kind filled in and every field that has two
// spellings rewritten to both. Objects are decoded already; the same object comes back where nothing is to be filled in.
import type { ApiObject } from '../../api/object.ts'
import type { DefaultsContext, Rule } from './rule.ts'

export type { DefaultsContext, Rule } from './rule.ts'

/** `rule`: of the kind; absent: it has no defaults. */
export function applyDefaults(rule: Rule | undefined, object: ApiObject, context: DefaultsContext): ApiObject {
  return rule === undefined ? object : (rule(object, context, object) as ApiObject)
}
