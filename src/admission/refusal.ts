// How a plugin refuses: in the reference's words, naming what the request was about.
import { metaText } from '../api/object-members.ts'
import { formatGroupResource } from '../api/object.ts'
import { ApiError, type StatusCause } from '../api/status.ts'
import type { AdmissionRequest } from './admission.ts'

/** A refusal names the object, what it was to be called, or that it has no name (W-066). */
export function forbidden(request: AdmissionRequest, why: string, causes?: readonly StatusCause[]): ApiError {
  const { group, resource } = request.resource
  const name = subjectName(request)
  return new ApiError(
    'Forbidden',
    `${formatGroupResource({ group, resource })} ${JSON.stringify(name)} is forbidden: ${why}`,
    {
      details: {
        name,
        ...(group === '' ? {} : { group }),
        kind: resource,
        ...(causes === undefined ? {} : { causes }),
      },
    },
  )
}

function subjectName({ name, object }: AdmissionRequest): string {
  if (name !== '') return name
  return metaText(object ?? {}, 'generateName') || 'Unknown'
}
