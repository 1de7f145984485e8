// Files inside volumes: where they come from, what they are called, who may read them.
import type { FieldPath } from '../../../api/field-path.ts'
import type { ValueMap } from '../../../api/value.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { numberIn, partIn, textOf } from '../../../schema/validation/members.ts'
import { checkNonReservedPath } from '../paths.ts'
import { checkFieldRef, checkResourceFieldRef, FILE_FIELDS } from './downward-api.ts'

const FILE_MODE = 'must be a number between 0 and 0777 (octal), both inclusive'

export function checkMode(holder: ValueMap, field: string, { at, check }: { at: FieldPath; check: Check }): void {
  const mode = numberIn(holder, field)
  if (mode !== undefined && (mode < 0 || mode > 0o777)) check.invalid(at.child(field), mode, FILE_MODE)
}

export function checkKeyToPath(item: ValueMap, at: FieldPath, check: Check): void {
  const path = textOf(item, 'path')
  if (textOf(item, 'key') === '') check.required(at.child('key'))
  if (path === '') check.required(at.child('path'))
  checkNonReservedPath(path, at.child('path'), check)
  checkMode(item, 'mode', { at, check })
}

export function checkDownwardFile(file: ValueMap, at: FieldPath, check: Check): void {
  const path = textOf(file, 'path')
  if (path === '') check.required(at.child('path'))
  checkNonReservedPath(path, at.child('path'), check)
  const field = partIn(file, 'fieldRef')
  const resource = partIn(file, 'resourceFieldRef')
  if (field !== undefined) {
    checkFieldRef(field, FILE_FIELDS, { at: at.child('fieldRef'), check })
    if (resource !== undefined) {
      check.invalid(at, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously')
    }
  } else if (resource !== undefined) {
    checkResourceFieldRef(resource, true, { at: at.child('resourceFieldRef'), check })
  } else check.required(at, 'one of fieldRef and resourceFieldRef is required')
  checkMode(file, 'mode', { at, check })
}
