// The versions of a kind as ownership looks at them. Each kind remembers the sets of fields that its objects have.
import type { KindVersions } from '../patch/ownership.ts'
import { FieldSetMemo } from '../patch/field-set-memo.ts'

export function kindVersions(versions: Omit<KindVersions, 'sets'>): KindVersions {
  return { ...versions, sets: new FieldSetMemo() }
}
