// Files inside volumes: where they come from, what they are called, who may read them.
import type { FieldPath } from '../../../api/field-path.ts'
import { mapOrAbsent, textOrEmpty } from '../../../api/members.ts'
import type { ValueMap } from '../../../api/value.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { checkNonReservedPath } from '../paths.ts'
import { checkFieldRef, checkResourceFieldRef, FILE_FIELDS } from './downward-api.ts'

export function checkKeyToPath(item: ValueMap, at: FieldPath, check: Check): void {
  check.fields(item, at, 'core_v1.KeyToPath', 'key', 'path')
  checkNonReservedPath(textOrEmpty(item, 'path'), at.child('path'), check)
  check.fields(item, at, 'core_v1.KeyToPath', 'mode')
}

export function checkDownwardFile(file: ValueMap, at: FieldPath, check: Check): void {
  check.fields(file, at, 'core_v1.DownwardAPIVolumeFile', 'path')
  checkNonReservedPath(textOrEmpty(file, 'path'), at.child('path'), check)
  const field = mapOrAbsent(file, 'fieldRef')
  const resource = mapOrAbsent(file, 'resourceFieldRef')
  if (field !== undefined) {
    checkFieldRef(field, FILE_FIELDS, { at: at.child('fieldRef'), check })
    if (resource !== undefined) {
      check.invalid(at, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously')
    }
  } else if (resource !== undefined) {
    checkResourceFieldRef(resource, true, { at: at.child('resourceFieldRef'), check })
  } else check.required(at, 'one of fieldRef and resourceFieldRef is required')
  check.fields(file, at, 'core_v1.DownwardAPIVolumeFile', 'mode')
}
