// Reads the pod of an exec or log request, and chooses its container.
import { mapOrEmpty, mapsOnly, textOrEmpty } from '../api/members.ts'
import type { ApiObject } from '../api/object.ts'
import { CONTAINER_LISTS } from '../api/pod-containers.ts'
import { ApiError } from '../api/status.ts'
import { getObject } from '../registry/read.ts'
import type { ResourceParts, ResourceRequest } from './resource-parts.ts'

export async function readTarget(parts: ResourceParts, request: ResourceRequest, name: string): Promise<ApiObject> {
  const { http } = request
  return (await getObject(parts.registry, request, { name, at: { kind: 'latest' } }, http.signal)).object()
}

/** The container asked for, or the only one; where there are several the error lists them (P-406). */
export function chooseContainer(pod: ApiObject, asked: string): string {
  const name = textOrEmpty(pod.metadata, 'name')
  const spec = mapOrEmpty(pod, 'spec')
  const namesIn = (list: string): readonly string[] =>
    mapsOnly(spec, list).map((container) => textOrEmpty(container, 'name'))
  const all = CONTAINER_LISTS.flatMap(namesIn)
  if (asked !== '') {
    if (!all.includes(asked)) throw new ApiError('BadRequest', `container ${asked} is not valid for pod ${name}`)
    return asked
  }
  const [only, ...more] = namesIn('containers')
  if (only !== undefined && more.length === 0 && all.length === 1) return only
  const choice = all.length === 0 ? '' : `, choose one of: [${all.join(' ')}]`
  throw new ApiError('BadRequest', `a container name must be specified for pod ${name}${choice}`)
}

/** The node that a pod runs on has to be known, and reachable by some address (P-400, P-402). */
export async function checkNode(parts: ResourceParts, request: ResourceRequest, node: string): Promise<void> {
  const nodes = parts.resources().find({ group: '', version: 'v1', resource: 'nodes' })
  const missing = new ApiError('NotFound', `pods ${JSON.stringify(node)} not found`, {
    details: { name: node, kind: 'pods' },
  })
  if (nodes === undefined) throw missing
  const key = { resource: nodes.stored, namespace: '', name: node }
  const { item } = await parts.registry.store.get(key, { kind: 'latest' }, request.http.signal)
  if (item?.kind !== 'object') throw missing
  const addresses = mapsOnly(mapOrEmpty(item.object(), 'status'), 'addresses')
  if (addresses.length === 0) throw new ApiError('', 'no preferred addresses found; known addresses: []')
}

/** What would have to be asked of the node; this server opens no connections to nodes. */
export function unreachable(what: string): ApiError {
  return new ApiError('ServiceUnavailable', `${what}: this server does not connect to nodes`)
}
