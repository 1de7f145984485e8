// What is particular to a built-in kind, by its name: for tests of its rules, its defaults and its columns.
import type { GroupVersionKind } from '../../src/api/object.ts'
import type { TableShape } from '../../src/codec/table.ts'
import { columnsOf as columnsOfKind } from '../../src/kinds/kinds.ts'
import { defaultsOf as defaultsOfKind } from '../../src/kinds/defaults.ts'
import { rulesOf as rulesOfKind } from '../../src/kinds/rules.ts'
import type { Rule } from '../../src/schema/defaults/defaults.ts'
import type { KindRules } from '../../src/schema/validation/validation.ts'

export function rulesOf(gvk: GroupVersionKind): KindRules {
  return rulesOfKind(gvk)
}

export function defaultsOf(gvk: GroupVersionKind): Rule | undefined {
  return defaultsOfKind(gvk)
}

export function columnsOf(kind: Omit<GroupVersionKind, 'version'>): TableShape {
  return columnsOfKind(kind)
}
