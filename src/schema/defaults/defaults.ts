// The front door: fills in the defaults of a kind, and both of two fields with one meaning. Objects are decoded already. The
// same object is returned if nothing changes.
import type { ApiObject } from '../../api/object.ts'
import type { AnyRule, DefaultsContext, Rule } from './rule.ts'

export type { AnyRule, DefaultsContext, Rule } from './rule.ts'

/** `rule`: of the kind; absent: it has no defaults. */
export function applyDefaults(rule: AnyRule | undefined, object: ApiObject, context: DefaultsContext): ApiObject {
  return rule === undefined ? object : ((rule as Rule)(object, context, object) as ApiObject)
}
