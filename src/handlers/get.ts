// GET on an object.
import { parseGetQuery } from '../api/list-query.ts'
import { ApiError } from '../api/status.ts'
import type { HttpResponse } from '../http/http.ts'
import { isTrue } from '../http/query.ts'
import { getObject } from '../registry/read.ts'
import { handleHistory } from './history.ts'
import { type ResourceParts, type ResourceRequest, servedAt } from './resource-parts.ts'
import { respondWithObject, viewOf } from './respond.ts'
import { handleRuleCosts } from './rule-costs.ts'

export async function handleGet(parts: ResourceParts, request: ResourceRequest): Promise<HttpResponse> {
  const { http, info } = request
  const { readHistory } = parts
  if (readHistory !== undefined && info.subresource === undefined && http.query.has('history')) {
    return handleHistory(parts, request, readHistory)
  }
  const { ruleCosts } = request.resource
  if (ruleCosts !== undefined && info.subresource === undefined && isTrue(http.query.get('ruleCosts'))) {
    return handleRuleCosts(parts, request, ruleCosts)
  }
  const name = info.name ?? ''
  const served = servedAt(request)
  const view = viewOf(parts, served)
  if (isTrue(http.query.get('export'))) {
    throw new ApiError('BadRequest', 'the export parameter, deprecated since v1.14, is no longer supported')
  }
  const at = parseGetQuery(http.query)
  const object = await getObject(parts.registry, request, { name, at }, http.signal)
  http.resume()
  return respondWithObject(view, served, object, 200)
}
