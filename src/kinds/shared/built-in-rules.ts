// The rules of most built-in kinds: the rules of metadata first, and then the rules of the kind.
import type { ValueMap } from '../../api/value.ts'
import type { Check } from '../../schema/validation/check.ts'
import type { NameFormat } from '../../schema/validation/formats.ts'
import { checkBuiltInMeta, checkBuiltInMetaUpdate, subdomainName } from '../../schema/validation/object-meta.ts'
import type { KindRules, UpdateRule } from '../../schema/validation/rules.ts'

interface OwnRules<T> {
  /** The format of names. Absent: a DNS subdomain. */
  readonly name?: NameFormat
  /** The rules for a new object and for a changed object. `stored` is absent for a new object. */
  readonly object: (object: T, check: Check, stored?: T) => void
  /** Further rules for a changed object. */
  readonly change?: UpdateRule<T>
  /** The rules for a change through `status`. Absent: only the rules of metadata. */
  readonly status?: UpdateRule<T>
}

export function builtInRules<T extends ValueMap>(rules: NoInfer<OwnRules<T>>): KindRules<T> {
  const { name = subdomainName, object: own, change, status } = rules
  return {
    create: (object, check) => {
      checkBuiltInMeta(object, name, check)
      own(object, check)
    },
    update: (object, stored, check) => {
      checkBuiltInMetaUpdate(object, stored, check)
      own(object, check, stored)
      change?.(object, stored, check)
    },
    ...(status !== undefined && {
      subresources: {
        status: (object, stored, check) => {
          checkBuiltInMetaUpdate(object, stored, check)
          status(object, stored, check)
        },
      },
    }),
  }
}

/** On updates, the reference applies the rules for new objects, then the rules for changed metadata, and then `change`. */
export function checkedAgain<T extends ValueMap>(rule: OwnRules<T>['object'], change?: UpdateRule<T>): KindRules<T> {
  return {
    create: rule,
    update: (object, stored, check) => {
      rule(object, check, stored)
      checkBuiltInMetaUpdate(object, stored, check)
      change?.(object, stored, check)
    },
  }
}
