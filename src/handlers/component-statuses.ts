// Component statuses: made for each request by checking the components. Nothing is stored, so they have no version and no pages.
import { parseListQuery } from '../api/list-query.ts'
import type { ApiObject } from '../api/object.ts'
import { matchesFields, matchesLabels } from '../api/selector.ts'
import { ApiError } from '../api/status.ts'
import { encodeJson } from '../codec/json-encode.ts'
import type { ListItem } from '../codec/list-json.ts'
import type { HttpResponse } from '../http/http.ts'
import { type ComponentProbe, fieldsOf, type ResourceParts, type ResourceRequest } from './resource-parts.ts'
import { respondWithUnstored, respondWithObject, viewOf } from './respond.ts'

export async function handleComponentStatuses(parts: ResourceParts, request: ResourceRequest): Promise<HttpResponse> {
  const { http, info, resource } = request
  const view = viewOf(parts, request)
  const probes = parts.components ?? []
  if (info.name !== undefined) {
    const probe = probes.find(({ name }) => name === info.name)
    if (probe === undefined) throw notFound(info.name)
    return respondWithObject(view, request, await statusOf(probe, http.signal), 200)
  }
  const { labels, fields } = parseListQuery(http.query, { fields: fieldsOf(resource) })
  const wanted = probes.filter(
    ({ name }) =>
      matchesLabels(labels, undefined) && matchesFields(fields, (field) => (field === 'metadata.name' ? name : '')),
  )
  const objects = await Promise.all(wanted.map((probe) => statusOf(probe, http.signal)))
  const items = objects.map(
    (object): ListItem => ({
      bytes: encodeJson(object, resource.schema),
      object: () => object,
    }),
  )
  return respondWithUnstored(view, request, items)
}

async function statusOf({ name, check }: ComponentProbe, signal: AbortSignal): Promise<ApiObject> {
  const condition = { type: 'Healthy', status: 'True', message: 'ok' }
  const status = { kind: 'ComponentStatus', apiVersion: 'v1', metadata: { name } }
  try {
    await check(signal)
    return { ...status, conditions: [condition] }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { ...status, conditions: [{ ...condition, status: 'False', message }] }
  }
}

/** In the words of the reference, which has another name for them here. */
function notFound(name: string): ApiError {
  const kind = 'componentstatus'
  return new ApiError('NotFound', `${kind} ${JSON.stringify(name)} not found`, { details: { name, kind } })
}
