// What is particular to a built-in kind, by its name: for tests of its rules, its defaults and its columns.
import type { GroupKind } from '../../src/api/object.ts'
import { kindOf } from '../../src/kinds/kinds.ts'
import type { Rule } from '../../src/schema/defaults/defaults.ts'
import { type KindRules, METADATA_RULES } from '../../src/schema/validation/validation.ts'

export { columnsOf } from '../../src/kinds/kinds.ts'

export function rulesOf(kind: GroupKind): KindRules {
  return kindOf(kind).validation ?? METADATA_RULES
}

export function defaultsOf(kind: GroupKind): Rule | undefined {
  return kindOf(kind).defaults
}
