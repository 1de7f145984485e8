// The versions of a kind for managed fields. Each kind has its own memo of field sets.
import { type ApiLevel, DEFAULT_LEVEL, isAtLevel, type LevelSpan } from '../api/level.ts'
import type { KindVersions } from '../patch/ownership.ts'
import { FieldSetMemo } from '../patch/field-set-memo.ts'

/** At these levels, managed fields are not changed if their owners cannot be computed. */
const KEPT_OWNERS: LevelSpan = { since: '1.37' }

export function kindVersions(
  versions: Omit<KindVersions, 'sets' | 'keepsOwners'>,
  level: ApiLevel = DEFAULT_LEVEL,
): KindVersions {
  return { ...versions, keepsOwners: isAtLevel(level, KEPT_OWNERS), sets: new FieldSetMemo() }
}
