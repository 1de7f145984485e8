// The served versions of the objects of a request to admission, for webhooks and policies that name another version than the requested one
// (W-484).
import type { AdmissionRequest } from '../admission/admission.ts'
import type { ServedKind, ServedKinds } from '../admission/webhook/webhook.ts'
import type { ApiObject } from '../api/object.ts'
import { formatGroupVersion } from '../api/object.ts'
import { canonicalJson, sortedJson } from '../codec/json-encode.ts'
import type { Resource, ResourceTable, WrittenKind as WrittenForm } from './registry.ts'
import { DecodeError } from '../schema/decode.ts'
import type { DefaultsContext } from '../schema/defaults/defaults.ts'

/** Other versions of a resource are looked up once. A changed definition has a new resource. */
export function servedKinds(resources: () => ResourceTable, context: () => DefaultsContext): ServedKinds {
  const known = new WeakMap<Resource, readonly ServedKind[]>()
  return (request) => {
    const table = resources()
    const resource = table.find(request.requestResource)
    const other = otherKind(table, resource, request)
    if (other !== undefined) return [kindAsItIs(other, request, context)]
    if (resource === undefined || resource.kind !== request.requestKind.kind) return [unknownKind(request)]
    const kinds = known.get(resource) ?? versionsOf(table, resource).map((each) => servedKind(each, resource, context))
    known.set(resource, kinds)
    return kinds
  }
}

/** The requested version comes first. */
function versionsOf(table: ResourceTable, resource: Resource): readonly Resource[] {
  const { storagePrefix } = resource.stored
  const others = [...table.all()].filter((each) => each !== resource && each.stored.storagePrefix === storagePrefix)
  return [resource, ...others]
}

const CONVERSION_MS = 30_000

type WrittenKind = Pick<WrittenForm, 'schema' | 'decode' | 'withDefaults' | 'group' | 'version' | 'kind'>

/**
 * The kind of the body if it is not the kind of the resource: of subresources that are written as another kind (scales, evictions,
 * bindings), and of reviews that are not stored.
 */
function otherKind(
  table: ResourceTable,
  resource: Resource | undefined,
  { requestResource, subresource }: AdmissionRequest,
): WrittenKind | undefined {
  const view = subresource === '' ? undefined : resource?.subresources.get(subresource)?.view
  return view ?? table.findAction({ ...requestResource, subresource })?.body
}

/** Built-in objects come in their stored version, and custom objects come in the requested version. */
function servedKind(resource: Resource, asked: Resource, context: () => DefaultsContext): ServedKind {
  const { group, version, kind, conversion, custom } = resource
  const into = async (object: ApiObject, target: Resource): Promise<ApiObject> => {
    const apiVersion = formatGroupVersion(target)
    if (custom?.convert === undefined || object.apiVersion === apiVersion) return object
    const [converted = object] = await custom.convert([object], apiVersion, AbortSignal.timeout(CONVERSION_MS))
    return converted
  }
  const isCustomVersion = custom !== undefined && resource !== asked
  return {
    kind: { group, version, kind },
    resource: { group, version, resource: resource.resource },
    show: isCustomVersion ? (object) => into(object, resource) : (object) => conversion.fromStored(object),
    adopt: isCustomVersion ? (object) => into(object, asked) : (object) => conversion.toStored(object),
    read: (document, isStrict) => readAs(resource, document, { context: context(), isStrict }),
    encode: (object) => canonicalJson(object, resource.schema),
  }
}

function kindAsItIs(kind: WrittenKind, request: AdmissionRequest, context: () => DefaultsContext): ServedKind {
  return {
    ...unknownKind(request),
    read: (document, isStrict) => readAs(kind, document, { context: context(), isStrict }),
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
  { context, isStrict = false }: { readonly context: DefaultsContext; readonly isStrict: boolean | undefined },
): ApiObject {
  const { value, problems } = kind.decode(document)
  if (isStrict && kind.schema.custom !== true && problems.length > 0) {
    throw new DecodeError(`strict decoding error: ${problems.join(', ')}`)
  }
  const object = { ...value, kind: kind.kind, apiVersion: formatGroupVersion(kind) } as ApiObject
  return kind.withDefaults(object, context)
}
