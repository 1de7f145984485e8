// The front door: fills in the defaults of a kind, and both of the fields that say the same. Objects are decoded already; the
// same object comes back where nothing changes.
import type { ApiObject } from '../../api/object.ts'
import type { AnyRule, DefaultsContext, Rule } from './rule.ts'

export type { AnyRule, DefaultsContext, Rule } from './rule.ts'

/** `rule`: of the kind; absent: it has no defaults. */
export function applyDefaults(rule: AnyRule | undefined, object: ApiObject, context: DefaultsContext): ApiObject {
  return rule === undefined ? object : ((rule as Rule)(object, context, object) as ApiObject)
}
