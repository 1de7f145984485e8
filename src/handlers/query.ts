// GET on a collection with the parameters of a query, and QUERY (RFC 10008), which has these parameters in its body.
import { parseListQuery } from '../api/list-query.ts'
import { hasQuery } from '../api/query-parameters.ts'
import type { PagePosition, StoredObject } from '../api/read.ts'
import type { ListItem } from '../codec/list-json.ts'
import type { HttpRequest, HttpResponse } from '../http/http.ts'
import { collectObjects, collectRows, type ObjectQuery } from '../registry/query/query.ts'
import type { ListPage } from '../registry/read.ts'
import { parametersIn } from './query-body.ts'
import { respondWithPlan, respondWithRows } from './query-result.ts'
import { beginQuery, type QueryRun } from './query-run.ts'
import { clientOf, listRulesOf, type ResourceParts, type ResourceRequest } from './resource-parts.ts'
import { listMetadata, listResponse, resultViewOf, servedItem, viewOf } from './respond.ts'
import { selectedView } from './selected-view.ts'

export function asksQuery({ method, query }: HttpRequest): boolean {
  return method === 'QUERY' || hasQuery(query)
}

export async function handleQuery(parts: ResourceParts, request: ResourceRequest): Promise<HttpResponse> {
  const { http, resource } = request
  const parameters = http.method === 'QUERY' ? await parametersIn(http) : http.query
  const query = parts.queries.parse(resource, parameters, 'list')
  const isResult = query.grouping !== undefined || query.isExplained
  const view = isResult ? resultViewOf(parts, request) : selectedView(viewOf(parts, request), query.select)
  const list = parseListQuery(parameters, listRulesOf(parts, resource), query.digest)
  if (list.at.kind !== 'continuation') parts.watches.watchers.noteList(clientOf(request))
  const run = await beginQuery(parts, request, { query, list })
  const answer = await collect(run)
  warnOfFailures(run, http)
  if (query.isExplained) return respondWithPlan(view, run, answer.count)
  if (answer.kind === 'rows') return respondWithRows(view, query.grouping!, answer)
  const { page } = answer
  const items = query.select === undefined ? itemsOf(run, page) : selectedItems(run, page, query.select)
  return listResponse(view, request, { metadata: listMetadata(page, list.shard), items })
}

type Answer =
  | { readonly kind: 'objects'; readonly page: ListPage; readonly count: number }
  | (Awaited<ReturnType<typeof collectRows>> & {
      readonly kind: 'rows'
      readonly page: Omit<ListPage, 'batches'>
      readonly count: number
    })

/**
 * Collects the objects or rows of the answer. If there is no order, condition or limit of rights, objects are written while they are read.
 */
async function collect(run: QueryRun): Promise<Answer> {
  const { query, page, condition } = run
  if (query.grouping !== undefined) {
    const { rows, groups } = await collectRows(run, query.grouping)
    const { part, ...cut } = cutOf(run, rows)
    return { kind: 'rows', rows: part, groups, page: cut, count: rows.reduce((sum, { count }) => sum + count, 0) }
  }
  if (!run.isOrdered && !run.isLimited && condition === undefined && !query.isExplained) {
    return { kind: 'objects', page: { ...page, next: ofQuery(run, page.next) }, count: 0 }
  }
  const objects = await collectObjects(run, query.order)
  if (run.isLimited && !run.isOrdered) return { kind: 'objects', ...pageOf(run, objects), count: objects.length }
  if (!run.isOrdered) {
    return {
      kind: 'objects',
      page: { ...page, next: ofQuery(run, page.next), batches: [objects] },
      count: objects.length,
    }
  }
  const { part, ...cut } = cutOf(run, objects)
  return { kind: 'objects', page: { ...cut, batches: [part] }, count: objects.length }
}

function ofQuery({ query }: QueryRun, next: PagePosition | undefined): PagePosition | undefined {
  return next && { ...next, query: query.digest }
}

/** A page of an ordered answer. */
function cutOf<T>(
  { query, list, page }: QueryRun,
  all: readonly T[],
): Omit<ListPage, 'batches'> & { part: readonly T[] } {
  const skip = list.at.kind === 'continuation' ? (list.at.position.skip ?? 0) : 0
  const end = list.limit === undefined ? all.length : skip + list.limit
  const { revision } = page
  const isMore = end < all.length
  return {
    part: all.slice(skip, end),
    revision,
    next: isMore ? { revision, start: 'ordered', query: query.digest, skip: end } : undefined,
    remaining: isMore ? all.length - end : undefined,
  }
}

/** A page of the objects within the caller's rights. The next page begins after the last object, even if the rights have changed. */
function pageOf({ query, list, page, request }: QueryRun, all: readonly StoredObject[]): { readonly page: ListPage } {
  const part = list.limit === undefined ? all : all.slice(0, list.limit)
  const last = part.at(-1)
  const { revision } = page
  const start = last && `${request.namespace === '' && last.namespace !== '' ? `${last.namespace}/` : ''}${last.name}\0`
  const next = start === undefined || part.length === all.length ? undefined : { revision, start, query: query.digest }
  return { page: { revision, next, remaining: next && all.length - part.length, batches: [part] } }
}

function warnOfFailures({ condition }: QueryRun, { responder }: HttpRequest): void {
  if (condition === undefined || condition.failures === 0) return
  const { failures, firstFailure } = condition
  const objects = failures === 1 ? '1 object' : `${failures} objects`
  responder.warn(`where: the expression failed on ${objects}, which did not match: ${firstFailure}`)
}

async function* itemsOf({ request }: QueryRun, { batches }: ListPage): AsyncGenerator<readonly ListItem[]> {
  const { isIdentity } = request.resource.conversion
  for await (const batch of batches) {
    if (isIdentity) yield batch
    else for (const stored of batch) yield [servedItem(request, stored)]
  }
}

async function* selectedItems(
  { request, turns, resume }: QueryRun,
  { batches }: ListPage,
  select: NonNullable<ObjectQuery['select']>,
): AsyncGenerator<readonly ListItem[]> {
  for await (const batch of batches) {
    for (const stored of batch) {
      if (turns?.isOver === true) {
        await turns.next()
        resume()
      }
      yield [select.of(servedItem(request, stored))]
    }
  }
}
