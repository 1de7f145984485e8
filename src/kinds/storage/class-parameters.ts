// Checks the provisioner and the parameters of the classes of this group.
import { FieldPath } from '../../api/field-path.ts'
import { entriesOf, type MapOf } from '../../api/value.ts'
import type { Check } from '../../schema/validation/check.ts'
import { qualifiedName } from '../../schema/validation/formats.ts'

const MAX_PARAMETERS = 512
export const MAX_PARAMETER_BYTES = 256 * 1024

export function bytesOf(map: MapOf<string>): number {
  return entriesOf(map).reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0)
}

export function checkProvisioner(name: string, at: FieldPath, check: Check): void {
  if (name === '') check.required(at)
  else check.format(at, name.toLowerCase(), qualifiedName(name.toLowerCase()))
}

export function checkParameters(parameters: MapOf<string> = {}, mayBeEmpty: boolean, check: Check): void {
  const at = FieldPath.root('parameters')
  const names = Object.keys(parameters)
  if (names.length > MAX_PARAMETERS) {
    check.tooLong(at, MAX_PARAMETERS)
    return
  }
  if (names.includes('')) check.invalid(at, '', 'field can not be empty.')
  if (bytesOf(parameters) > MAX_PARAMETER_BYTES) check.tooLong(at, MAX_PARAMETER_BYTES)
  if (!mayBeEmpty && names.length === 0) check.required(at, 'must contain at least one key/value pair')
}
