// GET on an object with `?ruleCosts=true`, for kinds with expressions whose cost is estimated: shows the estimate to users who may read the
// object.
import { parseGetQuery } from '../api/list-query.ts'
import type { HttpResponse } from '../http/http.ts'
import { bytesOf } from '../http/responses.ts'
import { runInTurns, Turns } from '../lib/turns.ts'
import { getObject } from '../registry/read.ts'
import type { Resource } from '../registry/registry.ts'
import type { ResourceParts, ResourceRequest } from './resource-parts.ts'

export async function handleRuleCosts(
  parts: ResourceParts,
  request: ResourceRequest,
  costsOf: NonNullable<Resource['ruleCosts']>,
): Promise<HttpResponse> {
  const { http, info } = request
  const at = parseGetQuery(http.query)
  const stored = await getObject(parts.registry, request, { name: info.name ?? '', at }, http.signal)
  // Compiling every rule of a large definition takes as long as its validation did.
  const costs = await runInTurns(costsOf(stored.object()), parts.encoding.turns ?? new Turns())
  return bytesOf('application/json', Buffer.from(`${JSON.stringify(costs)}\n`))
}
