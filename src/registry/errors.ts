// Errors in the words of the resource that they are about.
import type { FieldError } from '../api/field-error.ts'
import { invalidError } from '../api/invalid-error.ts'
import { formatGroupResource, type GroupResource } from '../api/object.ts'
import { ApiError, type StatusDetails } from '../api/status.ts'

function detailsOf(resource: GroupResource, name: string): StatusDetails {
  const named = name === '' ? {} : { name }
  return { ...named, ...(resource.group === '' ? {} : { group: resource.group }), kind: resource.resource }
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

/** Not the object but the options of the request are at fault: `CreateOptions.meta.k8s.io "" is invalid: …`. */
export function invalidOptionsError(optionsKind: string, errors: readonly FieldError[]): ApiError {
  return invalidError({ group: 'meta.k8s.io', kind: optionsKind }, '', errors)
}
