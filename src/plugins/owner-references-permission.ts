// OwnerReferencesPermissionEnforcement: changing owner references needs permission to delete the object, and blockOwnerDeletion needs
// permission to update the finalizers of the owner (CVE-2025-4563, CVE-2025-5187).
import { isTrue, mapsOnly, textOrEmpty } from '../api/members.ts'
import { metaOf } from '../api/object-members.ts'
import { type GroupVersionKind, parseGroupVersion } from '../api/object.ts'
import { equalValues, type ValueMap } from '../api/value.ts'
import type { Authorizer, ResourceAccess } from '../auth/authorizer.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts'
import { forbidden } from '../admission/refusal.ts'

/** The resource that serves a kind; undefined where none does. */
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
      const [owners, before] = [ownersOf(object), ownersOf(oldObject ?? {})]
      if (equalValues(owners, before)) return
      if (oldObject !== undefined) {
        const place = { ...request.resource, namespace: request.namespace || undefined, name: request.name }
        const why = await refusal(request, { verb: 'delete', ...place }, signal)
        if (why !== undefined) {
          throw forbidden(request, `cannot set an ownerRef on a resource you can't delete: ${why}`)
        }
      }
      const isBlocking = (owner: ValueMap): boolean => isTrue(owner, 'blockOwnerDeletion')
      const blocked = new Set(before.filter(isBlocking).map((owner) => textOrEmpty(owner, 'uid')))
      const added = owners.filter((owner) => isBlocking(owner) && !blocked.has(textOrEmpty(owner, 'uid')))
      for (const owner of added) {
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

function ownersOf(object: ValueMap): readonly ValueMap[] {
  return mapsOnly(metaOf(object), 'ownerReferences')
}

function placeOf(request: AdmissionRequest, owner: ValueMap, find: FindResource): Owned {
  const [apiVersion, kind] = [textOrEmpty(owner, 'apiVersion'), textOrEmpty(owner, 'kind')]
  const version = parseGroupVersion(apiVersion)
  const served = version === undefined ? undefined : find({ ...version, kind })
  if (version === undefined || served === undefined) {
    const why = `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`
    throw forbidden(request, why)
  }
  const namespace = served.namespaced ? request.namespace || undefined : undefined
  return { ...version, resource: served.resource, namespace, name: textOrEmpty(owner, 'name') }
}
