// The errors of plugins, in the reference's words.
import { metaText } from '../api/object-members.ts'
import { formatGroupResource } from '../api/object.ts'
import { ApiError, type StatusCause } from '../api/status.ts'
import type { AdmissionRequest } from './admission.ts'

/** The message has the name of the object, its generateName, or `Unknown` (W-066). */
export function forbidden(request: AdmissionRequest, why: string, causes?: readonly StatusCause[]): ApiError {
  const { group, resource } = request.resource
  const name = request.name || metaText(request.object ?? {}, 'generateName') || 'Unknown'
  const details = { name, ...(group !== '' && { group }), kind: resource, ...(causes !== undefined && { causes }) }
  const subject = `${formatGroupResource({ group, resource })} ${JSON.stringify(name)}`
  return new ApiError('Forbidden', `${subject} is forbidden: ${why}`, { details })
}

export function namespaceNotFound(name: string): ApiError {
  const details = { name, kind: 'namespaces' }
  return new ApiError('NotFound', `namespaces ${JSON.stringify(name)} not found`, { details })
}
