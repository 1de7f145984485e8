// Errors about a resource or an object of it.
import type { FieldError } from '../api/field-error.ts'
import { invalidError } from '../api/invalid-error.ts'
import { formatGroupResource, type GroupResource } from '../api/object.ts'
import { ApiError, type StatusDetails } from '../api/status.ts'

/** The resource and the object that a Status is about. */
export function resourceDetails({ group, resource }: GroupResource, name = ''): StatusDetails {
  return { ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), kind: resource }
}

export function notFoundError(resource: GroupResource, name: string): ApiError {
  const details = resourceDetails(resource, name)
  return new ApiError('NotFound', `${formatGroupResource(resource)} ${JSON.stringify(name)} not found`, { details })
}

export function alreadyExistsError(resource: GroupResource, name: string): ApiError {
  const message = `${formatGroupResource(resource)} ${JSON.stringify(name)} already exists`
  return new ApiError('AlreadyExists', message, { details: resourceDetails(resource, name) })
}

/** The error of a create for which all generated names were taken. */
export function noUniqueNameError({ message, details }: ApiError): ApiError {
  const why = 'the server was not able to generate a unique name for the object'
  return new ApiError('AlreadyExists', `${message}, ${why}`, { details: { ...details, retryAfterSeconds: 1 } })
}

const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again'

export function conflictError(resource: GroupResource, name: string, why: string = MODIFIED): ApiError {
  const subject = `${formatGroupResource(resource)} ${JSON.stringify(name)}`
  const message = `Operation cannot be fulfilled on ${subject}: ${why}`
  return new ApiError('Conflict', message, { details: resourceDetails(resource, name) })
}

export function forbiddenError(resource: GroupResource, name: string, why: string): ApiError {
  const subject = name === '' ? '' : ` ${JSON.stringify(name)}`
  return new ApiError('Forbidden', `${formatGroupResource(resource)}${subject} is forbidden: ${why}`, {
    details: resourceDetails(resource, name),
  })
}

/** The error for faults in the options of a request: `CreateOptions.meta.k8s.io "" is invalid: …`. */
export function invalidOptionsError(optionsKind: string, errors: readonly FieldError[]): ApiError {
  return invalidError({ group: 'meta.k8s.io', kind: optionsKind }, '', errors)
}
