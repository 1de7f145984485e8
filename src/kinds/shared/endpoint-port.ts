// The protocol of a port that endpoints are reached at.
import type { FieldPath } from '../../api/field-path.ts'
import type { ValueMap } from '../../api/value.ts'
import type { Check } from '../../schema/validation/check.ts'
import { qualifiedName } from '../../schema/validation/formats.ts'
import { textIn, textOf } from '../../schema/validation/members.ts'
import { PROTOCOLS } from './pod-spec/container.ts'

export function checkProtocol(port: ValueMap, at: FieldPath, check: Check): void {
  const protocol = textOf(port, 'protocol')
  if (protocol === '') check.required(at.child('protocol'))
  else check.oneOf(at.child('protocol'), protocol, PROTOCOLS)
  const application = textIn(port, 'appProtocol')
  if (application !== undefined) check.format(at.child('appProtocol'), application, qualifiedName(application))
}
