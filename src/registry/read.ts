// Get, list and watch.
import type { ListQuery, WatchQuery } from '../api/list-query.ts'
import type { ReadAt, StoredObject } from '../api/read.ts'
import type { History, HistoryRequest } from '../store/kv-history.ts'
import type { ListPage, ListRequest, Predicate, Selection, Watch } from '../store/store.ts'
import { notFoundError } from './errors.ts'
import type { RegistryParts, Resource, ResourceTable } from './registry.ts'
import { servedResource } from './served-resource.ts'
import { keyOf, readable } from './steps.ts'

export type { ListPage, Watch } from '../store/store.ts'

/** The scope of a request: one namespace, all namespaces, or the whole cluster. */
export interface Place {
  readonly resource: Resource
  /** Empty: all namespaces, or the resource has none. */
  readonly namespace: string
}

export async function getObject(
  parts: RegistryParts,
  { resource, namespace }: Place,
  request: { readonly name: string; readonly at: Exclude<ReadAt, { readonly kind: 'exact' }> },
  signal: AbortSignal,
): Promise<StoredObject> {
  const { item } = await parts.store.get(keyOf(resource, namespace, request.name), request.at, signal)
  if (item === undefined) throw notFoundError(resource, request.name)
  return readable(item)
}

type AskedHistory = Omit<HistoryRequest, 'key' | 'within'> & { readonly name: string }
export type ReadHistory = (place: Place, asked: AskedHistory, signal: AbortSignal) => Promise<History>

/**
 * The past of an object begins when its namespace and the definition of its kind were created, because earlier ones may have belonged to
 * another tenant. The past of a namespace begins when it was created.
 */
export function historyReader(
  read: (asked: HistoryRequest, signal: AbortSignal) => Promise<History>,
  table: ResourceTable,
): ReadHistory {
  return ({ resource, namespace }, { name, ...asked }, signal) => {
    const definitions = servedResource(table, 'customresourcedefinitions', 'apiextensions.k8s.io')
    const within = resource.isCustom ? [keyOf(definitions, '', `${resource.resource}.${resource.group}`)] : []
    const namespaces = servedResource(table, 'namespaces')
    const isNamespace = resource.stored.storagePrefix === namespaces.stored.storagePrefix
    if (resource.namespaced || isNamespace) within.push(keyOf(namespaces, '', isNamespace ? name : namespace))
    return read({ key: keyOf(resource, namespace, name), within, ...asked }, signal)
  }
}

export interface ObjectHistory extends Pick<History, 'isCut' | 'isGone'> {
  /** The versions in their served form, the newest first. */
  readonly objects: readonly StoredObject[]
  readonly unreadable: number
}

export async function objectHistory(
  read: ReadHistory,
  { resource, namespace }: Place,
  asked: AskedHistory,
  signal: AbortSignal,
): Promise<ObjectHistory> {
  const { items, isCut, isGone } = await read({ resource, namespace }, asked, signal)
  if (items.length === 0) throw notFoundError(resource, asked.name)
  const stored = items.filter((item) => item.kind === 'object')
  const { form } = resource.stored
  const objects = form === undefined ? stored : await form.fromStored(stored, signal)
  return { objects, unreadable: items.length - stored.length, isCut, isGone }
}

/** The part of a query that selects objects. */
export interface Where {
  readonly where?: Predicate | undefined
  /** Unreadable objects are left out. Otherwise the request fails and names them. */
  readonly skipUnreadable?: boolean | undefined
}

export function listRequest({ resource, namespace }: Place, query: ListQuery & Where): ListRequest {
  return {
    resource: resource.stored,
    namespace: namespace || undefined,
    at: query.at,
    limit: query.limit,
    skipUnreadable: query.skipUnreadable,
    selection: selectionOf(query),
  }
}

function selectionOf({ labels, fields, shard, where }: (ListQuery | WatchQuery) & Where): Selection {
  return { labels, fields, shard, where }
}

export function listObjects(
  parts: RegistryParts,
  place: Place,
  query: ListQuery & Where,
  signal: AbortSignal,
): Promise<ListPage> {
  return parts.store.list(listRequest(place, query), signal)
}

export function watchObjects(
  parts: RegistryParts,
  { resource, namespace }: Place,
  query: WatchQuery & Where,
  signal: AbortSignal,
): Promise<Watch> {
  const { timeoutSeconds } = query
  return parts.store.watch(
    {
      resource: resource.stored,
      namespace: namespace || undefined,
      start: query.start,
      selection: selectionOf(query),
      bookmarks: query.bookmarks,
      skipUnreadable: query.skipUnreadable,
      timeoutMilliseconds: timeoutSeconds && timeoutSeconds * 1000,
    },
    signal,
  )
}
