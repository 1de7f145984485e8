// NamespaceLifecycle: objects can be created only in namespaces that exist and are not terminating. The system namespaces cannot be deleted
// (W-063 to W-069, W-377). Level 1.36 of the reference also refuses updates in a namespace that is gone, so that finalizers stay there.
import { metaText } from '../api/object-members.ts'
import type { ApiError } from '../api/status.ts'
import { whenKnown } from '../lib/maybe-promise.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts'
import { findAnywhere, type ObjectReader } from '../admission/object-reader.ts'
import { forbidden, namespaceNotFound } from '../admission/refusal.ts'

const ALWAYS_THERE: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public'])

export function namespaceLifecycle(namespaces: ObjectReader): AdmissionPlugin {
  return {
    name: 'NamespaceLifecycle',
    operations: ['CREATE', 'DELETE'],
    readsObjects: () => false,
    mutate(request, signal) {
      const { operation, namespace, resource } = request
      if (operation === 'DELETE' && isNamespace(request) && ALWAYS_THERE.has(request.name)) {
        throw forbidden(request, 'this namespace may not be deleted')
      }
      if (operation !== 'CREATE' || namespace === '' || resource.resource === 'localsubjectaccessreviews') {
        return undefined
      }
      return whenKnown(findAnywhere(namespaces, ['', namespace], signal), (found) => {
        if (found === undefined) throw namespaceNotFound(namespace)
        if (metaText(found, 'deletionTimestamp') !== '') throw terminating(request)
        return undefined
      })
    },
  }
}

function isNamespace({ resource, subresource }: AdmissionRequest): boolean {
  return resource.group === '' && resource.resource === 'namespaces' && subresource === ''
}

function terminating(request: AdmissionRequest): ApiError {
  const { namespace } = request
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`
  const message = `namespace ${namespace} is being terminated`
  return forbidden(request, why, [{ reason: 'NamespaceTerminating', message, field: 'metadata.namespace' }])
}
