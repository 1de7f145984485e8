// The provisioner and the parameters of the classes of this group.
import { FieldPath } from '../../api/field-path.ts'
import { mapOrEmpty, textOrEmpty } from '../../api/members.ts'
import type { ValueMap } from '../../api/value.ts'
import type { Check } from '../../schema/validation/check.ts'
import { qualifiedName } from '../../schema/validation/formats.ts'

const MAX_PARAMETERS = 512
export const MAX_PARAMETER_BYTES = 256 * 1024

export function bytesOf(map: ValueMap): number {
  let bytes = 0
  for (const key of Object.keys(map)) {
    const value = map[key]
    bytes += Buffer.byteLength(key) + (typeof value === 'string' ? Buffer.byteLength(value) : 0)
  }
  return bytes
}

export function checkProvisioner(object: ValueMap, field: string, check: Check): void {
  const at = FieldPath.root(field)
  const name = textOrEmpty(object, field)
  if (name === '') check.required(at)
  else check.format(at, name.toLowerCase(), qualifiedName(name.toLowerCase()))
}

export function checkParameters(object: ValueMap, mayBeEmpty: boolean, check: Check): void {
  const at = FieldPath.root('parameters')
  const parameters = mapOrEmpty(object, 'parameters')
  const names = Object.keys(parameters)
  if (names.length > MAX_PARAMETERS) {
    check.tooLong(at, MAX_PARAMETERS)
    return
  }
  if (names.includes('')) check.invalid(at, '', 'field can not be empty.')
  if (bytesOf(parameters) > MAX_PARAMETER_BYTES) check.tooLong(at, MAX_PARAMETER_BYTES)
  if (!mayBeEmpty && names.length === 0) check.required(at, 'must contain at least one key/value pair')
}
