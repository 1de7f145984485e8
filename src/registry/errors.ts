// Errors in the words of the resource that they are about (writes.md section 1).
import type { FieldError } from '../api/field-error.ts'
import { causeOf } from '../api/field-error.ts'
import type { GroupResource, GroupVersionKind } from '../api/object.ts'
import { formatGroupResource } from '../api/object.ts'
import type { StatusDetails } from '../api/status.ts'
import { ApiError } from '../api/status.ts'

function detailsOf(resource: GroupResource, name: string): StatusDetails {
  return { name, ...(resource.group === '' ? {} : { group: resource.group }), kind: resource.resource }
}

export function notFoundError(resource: GroupResource, name: string): ApiError {
  const details = detailsOf(resource, name)
  return new ApiError('NotFound', `${formatGroupResource(resource)} ${JSON.stringify(name)} not found`, { details })
}

export function alreadyExistsError(resource: GroupResource, name: string): ApiError {
  const details = detailsOf(resource, name)
  return new ApiError('AlreadyExists', `${formatGroupResource(resource)} ${JSON.stringify(name)} already exists`, {
    details,
  })
}

const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again'

export function conflictError(resource: GroupResource, name: string, why: string = MODIFIED): ApiError {
  return new ApiError(
    'Conflict',
    `Operation cannot be fulfilled on ${formatGroupResource(resource)} ${JSON.stringify(name)}: ${why}`,
    { details: detailsOf(resource, name) },
  )
}

export function forbiddenError(resource: GroupResource, name: string, why: string): ApiError {
  const subject = name === '' ? '' : ` ${JSON.stringify(name)}`
  return new ApiError('Forbidden', `${formatGroupResource(resource)}${subject} is forbidden: ${why}`, {
    details: detailsOf(resource, name),
  })
}

/** 422 about a kind; a text that repeats is said once, its causes stay (W-006, W-007). */
export function invalidError(
  kind: Pick<GroupVersionKind, 'group' | 'kind'>,
  name: string,
  errors: readonly FieldError[],
): ApiError {
  const subject = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`
  const texts = [...new Set(errors.map((error) => `${error.field}: ${error.message}`))]
  const list = texts.length === 1 ? texts[0]! : `[${texts.join(', ')}]`
  return new ApiError('Invalid', `${subject} ${JSON.stringify(name)} is invalid: ${list}`, {
    details: {
      ...(name === '' ? {} : { name }),
      ...(kind.group === '' ? {} : { group: kind.group }),
      ...(kind.kind === '' ? {} : { kind: kind.kind }),
      causes: errors.map(causeOf),
    },
  })
}

/** Not the object but the options of the request are at fault: `CreateOptions.meta.k8s.io "" is invalid: …`. */
export function invalidOptionsError(optionsKind: string, errors: readonly FieldError[]): ApiError {
  return invalidError({ group: 'meta.k8s.io', kind: optionsKind }, '', errors)
}
