// The versions that the objects of a request to admission are served in, for webhooks and policies that name other versions
// than the one that was asked for (W-484).
import type { AdmissionRequest } from '../admission/admission.ts'
import type { ServedKind, ServedKinds } from '../admission/webhook/webhook.ts'
import type { ApiObject } from '../api/object.ts'
import { formatGroupVersion } from '../api/object.ts'
import { canonicalJson, sortedJson } from '../codec/json-encode.ts'
import type { ActionBody, Resource, ResourceTable } from '../registry/registry.ts'
import type { DefaultsContext } from '../schema/defaults/defaults.ts'

interface Served {
  readonly table: ResourceTable
  /** By what is stored. */
  readonly versions: ReadonlyMap<string, readonly Resource[]>
}

export function servedKinds(resources: () => ResourceTable, context: () => DefaultsContext): ServedKinds {
  let served: Served | undefined
  const current = (): Served => {
    const table = resources()
    return served?.table === table ? served : (served = arrange(table))
  }
  return (request) => {
    const { table, versions } = current()
    const resource = table.find(request.requestResource)
    const other = otherKind(table, resource, request)
    if (other !== undefined) return [kindAsItIs(other, request, context)]
    if (resource === undefined || resource.kind !== request.requestKind.kind) return [unknownKind(request)]
    const all = versions.get(resource.stored.storagePrefix) ?? []
    return [resource, ...all.filter((each) => each !== resource)].map((each) => servedKind(each, context))
  }
}

function arrange(table: ResourceTable): Served {
  const versions = new Map<string, Resource[]>()
  for (const resource of table.all()) {
    const { storagePrefix } = resource.stored
    const known = versions.get(storagePrefix)
    if (known === undefined) versions.set(storagePrefix, [resource])
    else known.push(resource)
  }
  return { table, versions }
}

type WrittenKind = Pick<ActionBody, 'schema' | 'decode' | 'withDefaults' | 'group' | 'version' | 'kind'>

/** Subresources that are written as another kind: scales, evictions, bindings; and what is only asked and not stored. */
function otherKind(
  table: ResourceTable,
  resource: Resource | undefined,
  { requestResource, subresource }: AdmissionRequest,
): WrittenKind | undefined {
  const view = subresource === '' ? undefined : resource?.subresources.get(subresource)?.view
  return view ?? table.findAction({ ...requestResource, subresource })?.body
}

function servedKind(resource: Resource, context: () => DefaultsContext): ServedKind {
  const { group, version, kind, conversion } = resource
  return {
    kind: { group, version, kind },
    resource: { group, version, resource: resource.resource },
    show: (object) => conversion.fromStored(object),
    adopt: (object) => conversion.toStored(object),
    read: (document) => readAs(resource, document, context()),
    encode: (object) => canonicalJson(object, resource.schema),
  }
}

function kindAsItIs(kind: WrittenKind, request: AdmissionRequest, context: () => DefaultsContext): ServedKind {
  return {
    ...unknownKind(request),
    read: (document) => readAs(kind, document, context()),
    encode: (object) => canonicalJson(object, kind.schema),
  }
}

function unknownKind({ requestKind, requestResource }: AdmissionRequest): ServedKind {
  return {
    kind: requestKind,
    resource: requestResource,
    show: (object) => object,
    adopt: (object) => object,
    read: (document) => document as ApiObject,
    encode: sortedJson,
  }
}

function readAs(
  kind: WrittenKind,
  document: Parameters<WrittenKind['decode']>[0],
  context: DefaultsContext,
): ApiObject {
  const { value } = kind.decode(document)
  const object = { ...value, kind: kind.kind, apiVersion: formatGroupVersion(kind) } as ApiObject
  return kind.withDefaults(object, context)
}
