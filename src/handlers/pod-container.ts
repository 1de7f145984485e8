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

/** The requested container, or the only container of the pod. If the pod has several, the error lists them (P-406). */
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
