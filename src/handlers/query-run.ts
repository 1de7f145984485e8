// Begins a query: finds its list at the revision of the first page.
import { decodeContinue, encodeContinue } from '../api/continue-token.ts'
import type { ListQuery } from '../api/list-query.ts'
import type { ApiObject } from '../api/object.ts'
import type { CallerReach } from '../api/reach.ts'
import { ApiError } from '../api/status.ts'
import {
  type Collecting,
  type Condition,
  type ObjectOf,
  type ObjectQuery,
  withinReach,
} from '../registry/query/query.ts'
import { listObjects } from '../registry/read.ts'
import type { ResourceParts, ResourceRequest } from './resource-parts.ts'
import { servedItem } from './respond.ts'

interface Asked {
  readonly query: ObjectQuery
  readonly list: ListQuery
}

export interface QueryRun extends Asked, Collecting {
  readonly request: ResourceRequest
  readonly condition: Condition | undefined
  /** The answer has its own order. Its pages are parts of one computed whole. */
  readonly isOrdered: boolean
  /** The caller may not read some objects. A page does not show whether such objects follow. */
  readonly isLimited: boolean
}

export async function beginQuery(parts: ResourceParts, request: ResourceRequest, asked: Asked): Promise<QueryRun> {
  const { query, list } = asked
  const objectOf = objectIn(parts, request)
  const condition = query.where && parts.queries.condition(query.where, objectOf, 'list')
  const isOrdered = query.order.length > 0 || query.grouping !== undefined
  const reach = query.isAccessible ? reachOf(request)?.now() : undefined
  const isLimited = reach !== undefined && !reach.isAll
  const at = isOrdered ? wholeAt(list) : list.at
  const found = isOrdered || isLimited ? { ...list, at, limit: undefined } : list
  const where = isLimited ? withinReach(reach, condition) : condition
  const wanted = { ...found, where, skipUnreadable: isLimited }
  const page = await listObjects(parts.registry, request, wanted, request.http.signal).catch((error: unknown) => {
    throw withDigest(error, query.digest)
  })
  const resume = (): void => request.http.resume()
  const turns = parts.encoding.turns
  return { ...asked, request, condition, isOrdered, isLimited, page, objectOf, turns, resume }
}

/** Undefined: the caller may see all objects. Throws `ApiError` for a request that names a namespace or an object. */
export function reachOf({ caller, info }: ResourceRequest): CallerReach | undefined {
  if (info.namespace === undefined && info.name === undefined) return caller.reach
  throw new ApiError('BadRequest', 'accessible: it is for lists and watches over all namespaces')
}

export function objectIn(parts: ResourceParts, request: ResourceRequest): ObjectOf {
  const { group, version } = request.resource
  return parts.queries.objectOf(`${group}/${version}`, (stored) => servedItem(request, stored).object() as ApiObject)
}

/** Every page of an ordered answer is computed from all objects at the revision of the first page. */
function wholeAt({ at }: ListQuery): ListQuery['at'] {
  if (at.kind !== 'continuation') return at
  const { revision } = at.position
  if (revision === undefined) throw new ApiError('BadRequest', 'invalid continue token: it has no resourceVersion')
  return { kind: 'exact', revision }
}

/** Binds the token for the rest of an unordered list at another revision to the query. */
function withDigest(error: unknown, digest: string): unknown {
  if (!(error instanceof ApiError) || error.continueToken === undefined) return error
  const continueToken = encodeContinue({ ...decodeContinue(error.continueToken), query: digest })
  const { reason, message, details, cause } = error
  return new ApiError(reason, message, { continueToken, cause, ...(details === undefined ? {} : { details }) })
}
