// One error for all faults in the fields of an object.
import type { FieldError } from './field-error.ts'
import { causeOf } from './field-error.ts'
import type { GroupKind } from './object.ts'
import { ApiError, type StatusReason } from './status.ts'

/**
 * The code is 422 unless the caller gives another reason. A repeated text appears once in the message, but all its causes are kept (W-006,
 * W-007).
 */
export function invalidError(
  kind: GroupKind,
  name: string,
  errors: readonly FieldError[],
  reason: StatusReason = 'Invalid',
): ApiError {
  const subject = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`
  const texts = [...new Set(errors.map((error) => `${error.field}: ${error.message}`))]
  const list = texts.length === 1 ? texts[0]! : `[${texts.join(', ')}]`
  return new ApiError(reason, `${subject} ${JSON.stringify(name)} is invalid: ${list}`, {
    details: {
      ...(name === '' ? {} : { name }),
      ...(kind.group === '' ? {} : { group: kind.group }),
      ...(kind.kind === '' ? {} : { kind: kind.kind }),
      causes: errors.map(causeOf),
    },
  })
}
