// exec, attach, portforward and proxy: the checks before a connection is made.
import { mapOrEmpty, mapsOnly, textOrEmpty } from '../api/members.ts'
import type { ApiObject } from '../api/object.ts'
import { ApiError } from '../api/status.ts'
import type { HttpResponse } from '../http/http.ts'
import { forbiddenError, notFoundError } from '../registry/errors.ts'
import { checkAdmission } from './connect-admission.ts'
import { checkNode, chooseContainer, readTarget, unreachable } from './pod-container.ts'
import { headerOf, type ResourceParts, type ResourceRequest } from './resource-parts.ts'

/** A stream to a container, or to ports of a pod. */
export async function handleStream(parts: ResourceParts, request: ResourceRequest): Promise<HttpResponse> {
  const { http, info } = request
  refuseDryRun(request)
  await checkAdmission(parts, request)
  await checkMayCreate(parts, request)
  const pod = await readTarget(parts, request, info.name ?? '')
  if (info.subresource !== 'portforward') chooseContainer(pod, http.query.get('container') ?? '')
  const node = textOrEmpty(mapOrEmpty(pod, 'spec'), 'nodeName')
  if (node === '') throw new ApiError('BadRequest', `pod ${info.name ?? ''} does not have a host assigned`)
  await checkNode(parts, request, node)
  if (headerOf(http, 'upgrade') === '') throw new ApiError('BadRequest', 'Upgrade request required')
  throw unreachable('error dialing backend')
}

/** To read is not to act: what a stream does in a pod takes the right to create, with any method (P-106). */
async function checkMayCreate(parts: ResourceParts, request: ResourceRequest): Promise<void> {
  const { info, resource } = request
  if (info.verb === 'create' || !parts.gates.has('AuthorizePodWebsocketUpgradeCreatePermission')) return
  try {
    await parts.authorize(request, { verb: 'create' })
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'Forbidden') throw forbiddenError(resource, info.name ?? '', '')
    throw error
  }
}

export async function handleProxy(parts: ResourceParts, request: ResourceRequest): Promise<HttpResponse> {
  const { http, info, resource } = request
  refuseDryRun(request)
  await checkAdmission(parts, request)
  const id = info.name ?? ''
  const { name, port } = splitId(id, resource.singular)
  const object = await readTarget(parts, request, name)
  if (resource.resource === 'services') await checkEndpoints(parts, request, { id, object, port })
  if (resource.resource === 'pods' && mapsOnly(mapOrEmpty(object, 'status'), 'podIPs').length === 0) {
    throw new ApiError('BadRequest', 'address not allowed')
  }
  if (info.rest.length === 0 && !http.path.endsWith('/') && (http.method === 'GET' || http.method === 'HEAD')) {
    return { status: 301, headers: { location: `${http.path}/` }, body: { kind: 'empty' } }
  }
  throw unreachable('error trying to reach service')
}

function refuseDryRun({ http }: ResourceRequest): void {
  if (http.query.all('dryRun').some((value) => value !== '')) {
    throw new ApiError('BadRequest', 'dryRun is not supported')
  }
}

/** `name`, `name:port` or `scheme:name:port` (P-425). */
function splitId(id: string, what: string): { readonly name: string; readonly port: string } {
  const [first = '', second = '', third = '', ...more] = id.split(':')
  const count = id.split(':').length
  const isScheme = first === 'http' || first === 'https' || first === ''
  const refused = new ApiError('BadRequest', `invalid ${what} request ${JSON.stringify(id)}`)
  if (more.length > 0 || (count === 3 && (!isScheme || second === '')) || (count < 3 && first === '')) throw refused
  return count === 3 ? { name: second, port: third } : { name: first, port: second }
}

interface ServiceTarget {
  readonly id: string
  readonly object: ApiObject
  readonly port: string
}

/** A service is reached through the endpoints under its name (P-426). */
async function checkEndpoints(
  parts: ResourceParts,
  { http, resource, namespace }: ResourceRequest,
  { id, object, port }: ServiceTarget,
): Promise<void> {
  const name = textOrEmpty(object.metadata, 'name')
  const ports = mapsOnly(mapOrEmpty(object, 'spec'), 'ports')
  if (/^\d+$/.test(port) && !ports.some((each) => each['port'] === Number(port))) {
    throw new ApiError('ServiceUnavailable', `no service port ${port} found for service ${JSON.stringify(name)}`)
  }
  const endpoints = parts.resources().find({ group: '', version: 'v1', resource: 'endpoints' })
  const found =
    endpoints === undefined
      ? undefined
      : await parts.registry.store.get({ resource: endpoints.stored, namespace, name }, { kind: 'latest' }, http.signal)
  if (found?.item?.kind !== 'object') throw notFoundError(resource, name)
  const addresses = mapsOnly(found.item.object(), 'subsets').flatMap((subset) => mapsOnly(subset, 'addresses'))
  if (!addresses.some((address) => textOrEmpty(mapOrEmpty(address, 'targetRef'), 'kind') === 'Pod')) {
    throw new ApiError('ServiceUnavailable', `no endpoints available for service ${JSON.stringify(id)}`)
  }
}
