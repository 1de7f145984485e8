// What is particular to a built-in kind, by its name: for tests of its rules, its defaults and its columns.
import type { GroupVersionKind } from '../../src/api/object.ts'
import { rulesOf as rulesOfKind } from '../../src/kinds/rules.ts'
import type { KindRules } from '../../src/schema/validation/validation.ts'

export function rulesOf(gvk: GroupVersionKind): KindRules {
  return rulesOfKind(gvk)
}
