// The addresses of the console's pages.
import { type Kind, type ObjectName, oneNamespace, resourceName } from './kind.ts'

export const HOME = '/console/'

export type Route =
  | { readonly page: 'overview' | 'server' | 'definitions' | 'access' | 'apply' }
  | { readonly page: 'graph'; readonly namespace: string }
  | { readonly page: 'table'; readonly resource: string; readonly query: TableQuery }
  | CreateRoute
  | { readonly page: 'object'; readonly resource: string; readonly named: ObjectName }

export interface CreateRoute {
  readonly page: 'create'
  readonly resource: string
  readonly namespace: string
  /** The name of the object to duplicate. Empty: none. */
  readonly from: string
}

/** `where`: an expression over `object`. `accessible`: `true` for the objects in all namespaces that the user may read. */
const QUERY = ['namespace', 'labels', 'fields', 'where', 'accessible'] as const
export type TableQuery = Readonly<Record<(typeof QUERY)[number], string>>

const PLAIN = ['server', 'definitions', 'access', 'apply'] as const
/** Marks an object without a namespace in addresses. */
const NO_NAMESPACE = '-'

export function routeOf(pathname: string, search: string): Route {
  const [, , page = '', ...rest] = pathname.split('/').map(decoded)
  const plain = PLAIN.find((name) => name === page)
  if (plain !== undefined) return { page: plain }
  const [resource = '', namespace = '', name = ''] = rest
  if (page === 'graph') return { page, namespace: tableQuery(search).namespace }
  if (page === 'kinds' && resource !== '') return { page: 'table', resource, query: tableQuery(search) }
  if (page === 'create' && resource !== '') {
    const query = new URLSearchParams(search)
    return { page, resource, namespace: query.get('namespace') ?? '', from: query.get('from') ?? '' }
  }
  if (page === 'objects' && name !== '') {
    return { page: 'object', resource, named: { namespace: namespace === NO_NAMESPACE ? '' : namespace, name } }
  }
  return { page: 'overview' }
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

function tableQuery(search: string): TableQuery {
  const query = new URLSearchParams(search)
  return Object.fromEntries(QUERY.map((name) => [name, query.get(name) ?? ''])) as TableQuery
}

export function tableAddress(resource: string, query: Partial<TableQuery> = {}): string {
  return `${HOME}kinds/${resource}${searchOf(query)}`
}

function searchOf(query: Readonly<Record<string, string>>): string {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString()
  return search === '' ? '' : `?${search}`
}

/** The page for a new object. `from`: the object to duplicate. */
export function createAddress(resource: string, namespace: string, from = ''): string {
  return `${HOME}create/${resource}${searchOf({ namespace: oneNamespace(namespace), from })}`
}

export function objectAddress(kind: Pick<Kind, 'plural' | 'group'>, { namespace, name }: ObjectName): string {
  return `${HOME}objects/${resourceName(kind)}/${namespace === '' ? NO_NAMESPACE : namespace}/${encodeURIComponent(name)}`
}

export function graphAddress(namespace: string): string {
  return `${HOME}graph${searchOf({ namespace: oneNamespace(namespace) })}`
}

/** The title of the browser's tab. */
export function titleOf(route: Route): string {
  if (route.page === 'object') return route.named.name
  if (route.page === 'create') return `New ${route.resource}`
  return route.page === 'table' ? route.resource : TITLES[route.page]
}

const TITLES = {
  overview: 'Overview',
  graph: 'Graph',
  server: 'Server',
  definitions: 'Definitions',
  access: 'Access',
  apply: 'Apply YAML',
} as const

type PlainPage = keyof typeof TITLES

/** The pages that are neither tables nor objects, as the sidebar lists them. */
export const PAGES = (Object.keys(TITLES) as PlainPage[]).map((page) => {
  const address = page === 'overview' ? HOME : `${HOME}${page}`
  return { page, title: TITLES[page], address }
})
