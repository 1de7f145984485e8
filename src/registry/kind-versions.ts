// The versions of a kind for managed fields. Each kind has its own memo of field sets.
import type { KindVersions } from '../patch/ownership.ts'
import { FieldSetMemo } from '../patch/field-set-memo.ts'

export function kindVersions(versions: Omit<KindVersions, 'sets'>): KindVersions {
  return { ...versions, sets: new FieldSetMemo() }
}
