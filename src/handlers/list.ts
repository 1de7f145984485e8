// GET on a collection.
import { parseListQuery } from '../api/list-query.ts'
import type { HttpResponse } from '../http/http.ts'
import { listObjects } from '../registry/read.ts'
import { asksQuery, handleQuery } from './query.ts'
import { clientOf, listRulesOf, type ResourceParts, type ResourceRequest } from './resource-parts.ts'
import { respondWithList, viewOf } from './respond.ts'

export async function handleList(parts: ResourceParts, request: ResourceRequest): Promise<HttpResponse> {
  const { http, resource } = request
  if (asksQuery(http)) return handleQuery(parts, request)
  const view = viewOf(parts, request)
  const query = parseListQuery(http.query, listRulesOf(parts, resource))
  if (query.at.kind !== 'continuation') parts.watches.watchers.noteList(clientOf(request))
  const page = await listObjects(parts.registry, request, query, http.signal)
  return respondWithList(view, request, page, query.shard)
}
