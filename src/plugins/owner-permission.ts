// OwnerReferencesPermissionEnforcement: whoever gives an object an owner could have it deleted by that, and whoever makes an
// owner wait could keep it from going. Both need the right to do so (CVE-2025-4563, CVE-2025-5187).
import { isTrue, mapOrEmpty, mapsOnly, textOrEmpty } from '../api/members.ts'
import { type ApiObject, type GroupVersionKind, parseGroupVersion } from '../api/object.ts'
import { equalValues, type ValueMap } from '../api/value.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts'
import { forbidden } from '../admission/refusal.ts'

/** The resource that serves a kind; undefined where none does. */
export type FindResource = (
  kind: GroupVersionKind,
) => { readonly resource: string; readonly namespaced: boolean } | undefined

export function ownerPermission(authorizer: Authorizer, find: FindResource): AdmissionPlugin {
  const refusal = async (
    request: AdmissionRequest,
    access: { readonly verb: string; readonly subresource?: string } & Owned,
    signal: AbortSignal,
  ): Promise<string | undefined> => {
    const { user } = request
    const { verb, subresource, group, version, resource, namespace, name } = access
    const asked = { kind: 'resource', user, verb, group, version, resource, subresource, namespace, name } as const
    const decision = await authorizer.authorize(asked, signal)
    return decision.kind === 'allow' ? undefined : `${decision.reason ?? ''}, <nil>`
  }
  return {
    name: 'OwnerReferencesPermissionEnforcement',
    operations: ['CREATE', 'UPDATE'],
    async validate(request, signal) {
      const { object, oldObject, subresource } = request
      if (object === undefined || (subresource === 'status' && request.resource.resource === 'pods')) return
      const [owners, before] = [ownersOf(object), oldObject === undefined ? [] : ownersOf(oldObject)]
      if (equalValues(owners, before)) return
      if (oldObject !== undefined) {
        const place = { ...request.resource, namespace: orNone(request.namespace), name: request.name }
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
          throw forbidden(
            request,
            `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${why}`,
          )
        }
      }
    },
  }
}

interface Owned {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly namespace: string | undefined
  readonly name: string
}

function ownersOf(object: ApiObject): readonly ValueMap[] {
  return mapsOnly(mapOrEmpty(object, 'metadata'), 'ownerReferences')
}

function orNone(text: string): string | undefined {
  return text === '' ? undefined : text
}

function placeOf(request: AdmissionRequest, owner: ValueMap, find: FindResource): Owned {
  const [apiVersion, kind] = [textOrEmpty(owner, 'apiVersion'), textOrEmpty(owner, 'kind')]
  const version = parseGroupVersion(apiVersion)
  const served = version === undefined ? undefined : find({ ...version, kind })
  if (version === undefined || served === undefined) {
    throw forbidden(
      request,
      `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`,
    )
  }
  const namespace = served.namespaced ? orNone(request.namespace) : undefined
  return { ...version, resource: served.resource, namespace, name: textOrEmpty(owner, 'name') }
}
