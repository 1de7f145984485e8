// Objects are made in namespaces that exist and are not going; a few namespaces cannot be deleted (W-063 to W-069, W-377).
import type { ApiObject } from '../api/object.ts'
import { formatGroupResource } from '../api/object.ts'
import { ApiError } from '../api/status.ts'
import { isMap, own } from '../api/value.ts'
import type { Admission, AdmissionRequest } from './admission.ts'

const ALWAYS_THERE: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public'])

/** Reads a namespace; undefined where there is none. */
export type FindNamespace = (name: string, signal: AbortSignal) => Promise<ApiObject | undefined>

export function namespaceLifecycle(find: FindNamespace): Admission {
  return {
    async mutate(request, signal) {
      const { operation, namespace, resource } = request
      if (operation === 'DELETE' && isNamespace(request) && ALWAYS_THERE.has(request.name)) {
        throw forbidden(request, 'this namespace may not be deleted')
      }
      if (operation !== 'CREATE' || namespace === '' || resource.resource === 'localsubjectaccessreviews') {
        return request.object
      }
      const found = await find(namespace, signal)
      if (found === undefined) {
        throw new ApiError('NotFound', `namespaces ${JSON.stringify(namespace)} not found`, {
          details: { name: namespace, kind: 'namespaces' },
        })
      }
      if (isGoing(found)) throw terminating(request)
      return request.object
    },
    validate: () => Promise.resolve(),
  }
}

function isNamespace({ resource, subresource }: AdmissionRequest): boolean {
  return resource.group === '' && resource.resource === 'namespaces' && subresource === ''
}

function isGoing(namespace: ApiObject): boolean {
  return typeof own(namespace.metadata, 'deletionTimestamp') === 'string'
}

function terminating(request: AdmissionRequest): ApiError {
  const { namespace } = request
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  }
  const error = forbidden(request, why)
  return new ApiError('Forbidden', error.message, { details: { ...error.details, causes: [cause] } })
}

/** A refusal names the object, what it was to be called, or that it has no name (W-066). */
export function forbidden(request: AdmissionRequest, why: string): ApiError {
  const { group, resource } = request.resource
  const name = subjectName(request)
  return new ApiError(
    'Forbidden',
    `${formatGroupResource({ group, resource })} ${JSON.stringify(name)} is forbidden: ${why}`,
    {
      details: { name, ...(group === '' ? {} : { group }), kind: resource },
    },
  )
}

function subjectName({ name, object }: AdmissionRequest): string {
  if (name !== '') return name
  const metadata = object === undefined ? undefined : own(object, 'metadata')
  const prefix = isMap(metadata) ? own(metadata, 'generateName') : undefined
  return typeof prefix === 'string' && prefix !== '' ? prefix : 'Unknown'
}
