// Requests for resources: finds the resource, refuses an unknown resource, and calls the handler of the verb.
import type { HttpResponse, CallerHandler, HttpRequest } from '../http/http.ts'
import { isTransaction, type ResourceInfo } from '../http/request-info.ts'
import { formatGroupResource, type GroupResource } from '../api/object.ts'
import { ApiError, TooLongHere } from '../api/status.ts'
import { methodNotAllowedError, unknownResourceError } from '../http/errors.ts'
import { pageNotFound } from '../http/responses.ts'
import { notFoundError, resourceDetails } from '../registry/errors.ts'
import type { Action, Resource } from '../registry/registry.ts'
import { handleAction } from './action.ts'
import { handleComponentStatuses } from './component-statuses.ts'
import { handleProxy } from './backend-proxy.ts'
import { handleStream } from './connect.ts'
import { handleCreate } from './create.ts'
import { handleDelete, handleDeleteCollection } from './delete.ts'
import { handleGet } from './get.ts'
import { handleList } from './list.ts'
import { patchType } from './media-types.ts'
import { handlePatch } from './patch.ts'
import { handlePodLog } from './pod-log.ts'
import type { CallersRequest, ResourceParts, ResourceRequest } from './resource-parts.ts'
import { handleTransaction } from './transactions/transactions.ts'
import { handleUpdate } from './update.ts'
import { handleWatch } from './watch.ts'

type VerbHandler = (parts: ResourceParts, request: ResourceRequest) => Promise<HttpResponse>

const VERBS: Readonly<Record<string, VerbHandler>> = {
  get: handleGet,
  list: handleList,
  watch: handleWatch,
  create: handleCreate,
  update: handleUpdate,
  patch: handlePatch,
  delete: handleDelete,
  deletecollection: handleDeleteCollection,
}

/** Handlers for resources that are not stored, and for streams below an object: by resource of the core group and subresource. */
const STREAMS: Readonly<Record<string, VerbHandler>> = {
  'pods/log': handlePodLog,
  'pods/exec': handleStream,
  'pods/attach': handleStream,
  'pods/portforward': handleStream,
  'pods/proxy': handleProxy,
  'services/proxy': handleProxy,
  'nodes/proxy': handleProxy,
  'componentstatuses/': handleComponentStatuses,
}

export function serveResources(parts: ResourceParts): CallerHandler {
  return (http, caller) => {
    const { info } = http
    if (info.kind !== 'resource') return pageNotFound()
    if (isTransaction(info)) return handleTransaction(parts, { http, caller }, info)
    const resource = parts.resources().find(info)
    const request = { http, caller }
    if (resource === undefined) return serveAction(parts, request, info) ?? unknownResource(parts, request, info)
    return serveFound(parts, request, { info, resource })
  }
}

function serveFound(
  parts: ResourceParts,
  { http, caller }: CallersRequest,
  { info, resource }: { readonly info: ResourceInfo; readonly resource: Resource },
): HttpResponse | Promise<HttpResponse> {
  const request = { http, caller, info, resource, namespace: namespaceOf(resource, info) }
  if (!resource.isCustom) return serve(parts, request)
  if (!isInCustomScope(resource, info)) return pageNotFound()
  refuseCustom(parts, request)
  return serve(parts, info.verb === 'create' ? { ...request, info: { ...info, name: undefined } } : request)
}

async function serve(parts: ResourceParts, request: ResourceRequest): Promise<HttpResponse> {
  const { http, caller, info, resource } = request
  if (!resource.isCustom && (!isInScope(resource, info) || isTooLong(info))) throw unknownResourceError()
  const verb = verbOf(http, info, resource.isCustom)
  if (info.subresource !== undefined) {
    const subresource = resource.subresources.get(info.subresource)
    if (subresource === undefined) throw unknownResourceError()
    if (!subresource.verbs.has(verb)) throw methodNotAllowedError()
  } else if (verb === 'watch' && resource.verbs.has('list') && !resource.verbs.has('watch')) {
    // The list exists, and its handler refuses the watch (R-018 b).
    for (const text of resource.deprecations) http.responder.warn(text)
    throw notSupported(verb, resource)
  } else if (!resource.verbs.has(verb) || !hasItsName(info, verb) || isAcrossNamespaces(resource, info, verb)) {
    throw methodNotAllowedError()
  }
  checkNames(request, verb)
  for (const text of resource.deprecations) http.responder.warn(text)
  if (resource.deprecations.length > 0) caller.audit.annotate('k8s.io/deprecated', 'true')
  const stream = resource.group === '' ? STREAMS[`${info.resource}/${info.subresource ?? ''}`] : undefined
  if (stream !== undefined) return stream(parts, request)
  const action = verb === 'create' ? actionAt(parts, info) : undefined
  if (action !== undefined) return handleAction(parts, { http, caller, info, action, namespace: request.namespace })
  if (verb === 'create' && info.subresource !== undefined) throw methodNotAllowedError()
  const handler = VERBS[verb]
  if (handler === undefined) throw methodNotAllowedError()
  try {
    return await handler(parts, request)
  } catch (error) {
    if (!(error instanceof TooLongHere)) throw error
    parts.largeWrites?.takeAll(resource)
    return handler(parts, request)
  }
}

function actionAt(parts: ResourceParts, info: ResourceInfo): Action | undefined {
  return parts.resources().findAction({ ...info, subresource: info.subresource ?? '' })
}

/** Serves a POST to a path without a stored resource. Undefined: no action has this path. */
function serveAction(
  parts: ResourceParts,
  { http, caller }: CallersRequest,
  info: ResourceInfo,
): Promise<HttpResponse> | undefined {
  const action = actionAt(parts, info)
  if (action === undefined) return undefined
  const isInScope = action.at.namespaced === (info.namespace !== undefined)
  if (info.name !== undefined || info.legacy || !isInScope) throw unknownResourceError()
  if (verbOf(http, info) !== 'create') throw methodNotAllowedError()
  if (info.namespace === '') throw namespaceRequired()
  return handleAction(parts, { http, caller, info, action, namespace: info.namespace ?? '' })
}

/** The verb of the request. Empty: the method is not allowed, such as HEAD on built-in resources. */
function verbOf(http: HttpRequest, info: ResourceInfo, isCustom = false): string {
  const { method } = http
  // The old paths contain the verb `watch`, and accept only GET.
  if (info.verb === 'watch' && method !== 'GET') return ''
  if (info.subresource === 'proxy' && (method === 'HEAD' || method === 'OPTIONS')) return 'get'
  if (method === 'HEAD' && info.verb !== 'proxy' && !isCustom) return ''
  // The path lacks a name before the subresource, so the verb is that of a request for a single object.
  const isUnnamed = info.subresource !== undefined && info.name === undefined && !isCustom
  return isUnnamed ? (OF_ONE.get(info.verb) ?? info.verb) : info.verb
}

const OF_ONE: ReadonlyMap<string, string> = new Map([
  ['list', 'get'],
  ['watch', 'get'],
  ['deletecollection', 'delete'],
])

/** Custom objects of all namespaces can only be listed and watched. So a write with an empty namespace is refused (D36). */
function isInCustomScope(resource: Resource, info: ResourceInfo): boolean {
  const isInNamespace = info.namespace !== undefined && info.namespace !== ''
  if (!resource.namespaced) return !isInNamespace
  if (isInNamespace) return true
  return info.verb === 'list' || info.verb === 'watch'
}

/**
 * Custom resources have no routes, so the handler refuses requests that they do not support. A write to the collection lacks
 * the name, and a create at the path of an object is a create in the collection.
 */
function refuseCustom(parts: ResourceParts, request: ResourceRequest): void {
  const { http, info, resource } = request
  const subresource = info.subresource === undefined ? undefined : resource.subresources.get(info.subresource)
  if (info.subresource !== undefined && subresource === undefined) throw notFoundError(resource, info.name ?? '')
  const verb = verbOf(http, info, true)
  const verbs = subresource?.verbs ?? resource.verbs
  if (!verbs.has(verb)) throw notSupported(verb, resource)
  if (verb === 'create' || hasItsName(info, verb)) return
  if (verb === 'patch') patchType(parts, request)
  throw new ApiError('BadRequest', 'name must be provided')
}

/** The error of the reference's handlers. Its router has another message (R-018 b). */
function notSupported(verb: string, resource: GroupResource): ApiError {
  const kind = JSON.stringify(formatGroupResource(resource))
  const details = resourceDetails(resource)
  return new ApiError('MethodNotAllowed', `${verb} is not supported on resources of kind ${kind}`, { details })
}

/** The namespace of the requested objects. In the path of a Namespace, the namespace is its name. */
function namespaceOf(resource: Resource, info: ResourceInfo): string {
  return resource.namespaced ? (info.namespace ?? '') : ''
}

/** The path of a namespaced object needs a namespace. The path of a cluster-scoped object has none. */
function isInScope(resource: Resource, info: ResourceInfo): boolean {
  if (resource.namespaced) return info.namespace !== undefined || (info.name ?? info.subresource) === undefined
  return info.namespace === undefined || (resource.group === '' && resource.resource === 'namespaces')
}

/**
 * Whether the path has too many parts. Only proxies have paths below a subresource. Old paths exist only for watches without a subresource.
 */
function isTooLong({ verb, subresource, rest, legacy }: ResourceInfo): boolean {
  if (legacy) return subresource !== undefined || verb === 'proxy'
  return rest.length > 0 && subresource !== 'proxy'
}

function hasItsName({ name }: ResourceInfo, verb: string): boolean {
  if (verb === 'create') return name === undefined
  return name !== undefined || (verb !== 'update' && verb !== 'patch')
}

/** Whether a verb other than list and watch is used for objects of all namespaces. */
function isAcrossNamespaces(resource: Resource, info: ResourceInfo, verb: string): boolean {
  return resource.namespaced && info.namespace === undefined && verb !== 'list' && verb !== 'watch'
}

/** Throws if the path lacks a name or a namespace, so that no write changes more objects than the path names (D36). */
function checkNames({ info: { name, subresource }, resource, namespace }: ResourceRequest, verb: string): void {
  if (subresource !== undefined && name === undefined) throw new ApiError('BadRequest', 'name must be provided')
  if (name?.includes('%') === true) {
    throw new ApiError('BadRequest', `Name parameter invalid: ${JSON.stringify(name)}: may not contain '%'`)
  }
  // A create passes here: later checks find that its object has no namespace.
  const mayBeEmpty = verb === 'list' || verb === 'watch' || (verb === 'create' && subresource === undefined)
  if (!resource.namespaced || namespace !== '' || mayBeEmpty) return
  throw namespaceRequired()
}

function namespaceRequired(): ApiError {
  return new ApiError('BadRequest', 'Namespace parameter required.')
}

/** In a built-in group, the answer is a Status. In other groups, the answer is plain text. */
function unknownResource(
  parts: ResourceParts,
  request: CallersRequest,
  info: ResourceInfo,
): HttpResponse | Promise<HttpResponse> {
  if (parts.resources().isDeclared(info)) {
    if (info.verb === 'watch' && info.resource === 'componentstatuses') {
      // These objects are made for each read, so a watch would have no changes.
      request.http.responder.warn('v1 ComponentStatus is deprecated in v1.19+')
      throw notSupported('watch', info)
    }
    if (info.subresource !== undefined || info.legacy) throw unknownResourceError()
    throw methodNotAllowedError()
  }
  for (const resource of parts.resources().all()) {
    if (resource.group === info.group && !resource.isCustom) throw unknownResourceError()
    if (resource.isCustom) break
  }
  return parts.awaitResource === undefined ? pageNotFound() : serveAwaited(parts, request, info)
}

/** A new definition may not have reached this server yet (D30). */
async function serveAwaited(parts: ResourceParts, request: CallersRequest, info: ResourceInfo): Promise<HttpResponse> {
  await parts.awaitResource?.(info, request.http.signal)
  const resource = parts.resources().find(info)
  return resource === undefined ? pageNotFound() : serveFound(parts, request, { info, resource })
}
