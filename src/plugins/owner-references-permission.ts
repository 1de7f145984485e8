// OwnerReferencesPermissionEnforcement: changing owner references needs permission to delete the object, and blockOwnerDeletion needs
// permission to update the finalizers of the owner (CVE-2025-4563, CVE-2025-5187).
import type { OwnerReference } from '../api/gen/kinds.ts'
import { metaOf } from '../api/object-members.ts'
import { type GroupVersionKind, parseGroupVersion } from '../api/object.ts'
import { equalValues } from '../api/value.ts'
import type { Authorizer, ResourceAccess } from '../auth/authorizer.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts'
import { forbidden } from '../admission/refusal.ts'

/** The resource that serves a kind. Undefined: the kind is not served. */
export type FindResource = (
  kind: GroupVersionKind,
) => { readonly resource: string; readonly namespaced: boolean } | undefined

export function ownerPermission(authorizer: Authorizer, find: FindResource): AdmissionPlugin {
  const refusal = async (
    { user }: AdmissionRequest,
    access: Pick<ResourceAccess, 'verb' | 'subresource'> & Owned,
    signal: AbortSignal,
  ): Promise<string | undefined> => {
    const decision = await authorizer.authorize({ kind: 'resource', user, ...access }, signal)
    return decision.kind === 'allow' ? undefined : `${decision.reason ?? ''}, <nil>`
  }
  return {
    name: 'OwnerReferencesPermissionEnforcement',
    operations: ['CREATE', 'UPDATE'],
    async validate(request, signal) {
      const { object, oldObject, subresource } = request
      if (object === undefined || (subresource === 'status' && request.resource.resource === 'pods')) return
      const { ownerReferences: owners = [] } = metaOf(object)
      const { ownerReferences: before = [] } = metaOf(oldObject ?? {})
      if (equalValues(owners, before)) return
      if (oldObject !== undefined) {
        const place = { ...request.resource, namespace: request.namespace || undefined, name: request.name }
        const why = await refusal(request, { verb: 'delete', ...place }, signal)
        if (why !== undefined) {
          throw forbidden(request, `cannot set an ownerRef on a resource you can't delete: ${why}`)
        }
      }
      const blocked = new Set(before.filter(isBlocking).map(({ uid }) => uid))
      for (const owner of owners.filter((each) => isBlocking(each) && !blocked.has(each.uid))) {
        const place = placeOf(request, owner, find)
        const why = await refusal(request, { verb: 'update', subresource: 'finalizers', ...place }, signal)
        if (why !== undefined) {
          const text = `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${why}`
          throw forbidden(request, text)
        }
      }
    },
  }
}

type Owned = Pick<ResourceAccess, 'group' | 'version' | 'resource' | 'namespace' | 'name'>

function isBlocking({ blockOwnerDeletion }: OwnerReference): boolean {
  return blockOwnerDeletion === true
}

function placeOf(request: AdmissionRequest, { apiVersion, kind, name }: OwnerReference, find: FindResource): Owned {
  const version = parseGroupVersion(apiVersion)
  const served = version === undefined ? undefined : find({ ...version, kind })
  if (version === undefined || served === undefined) {
    const why = `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`
    throw forbidden(request, why)
  }
  const namespace = served.namespaced ? request.namespace || undefined : undefined
  return { ...version, resource: served.resource, namespace, name }
}
