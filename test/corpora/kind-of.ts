// What is particular to a built-in kind at the default level, by its name: for tests of its rules, its defaults and its columns.
import { type ApiObject, formatGroupVersion, type GroupKind } from '../../src/api/object.ts'
import type { ValueMap } from '../../src/api/value.ts'
import { kindAt } from '../../src/kinds/kind.ts'
import { kindOf } from '../../src/kinds/kinds.ts'
import { DEFAULT_LEVEL, NEWEST_LEVEL } from '../../src/api/level.ts'
import { allBuiltInGroups } from '../../src/schema/built-in-resources.ts'
import type { Rule } from '../../src/schema/defaults/defaults.ts'
import { withRightTypes } from '../../src/schema/stored-types.ts'
import { type KindRules, METADATA_RULES } from '../../src/schema/validation/validation.ts'

/** An object in the canonical form of its kind, as rules and columns get it. */
export function canonicalOf({ group, kind }: GroupKind, object: ValueMap): ApiObject {
  const { versions = [] } = allBuiltInGroups(NEWEST_LEVEL).find((found) => found.group === group) ?? {}
  const found = versions.find(({ resources }) => resources.some((resource) => resource.kind === kind))
  const apiVersion = formatGroupVersion({ group, version: found?.version ?? 'v1' })
  return withRightTypes({ apiVersion, kind, metadata: {}, ...object }) as ApiObject
}

export { columnsOf } from '../../src/kinds/kinds.ts'

export function rulesOf(kind: GroupKind, level = DEFAULT_LEVEL): KindRules {
  return kindAt(level, kindOf(kind)).validation ?? METADATA_RULES
}

export function defaultsOf(kind: GroupKind): Rule | undefined {
  return kindAt(DEFAULT_LEVEL, kindOf(kind)).defaults as Rule | undefined
}
