// The front door: fills in the defaults of a kind. If two fields have the same meaning, both are filled in. Objects are decoded already. If
// nothing changes, the same object is returned.
import type { ApiObject } from '../../api/object.ts'
import type { AnyRule, DefaultsContext, Rule } from './rule.ts'

export type { AnyRule, DefaultsContext, Rule } from './rule.ts'

/** Returns the object with its defaults. `rule` is the rule of its kind. Undefined: the kind has no defaults. */
export function applyDefaults(rule: AnyRule | undefined, object: ApiObject, context: DefaultsContext): ApiObject {
  return rule === undefined ? object : ((rule as Rule)(object, context, object) as ApiObject)
}
