// The meaning of a method and a path: resource or plain path, verb, group, version, namespace, name (P-100 to P-104).
import { asksForWatch } from '../api/list-query.ts'
import { parseFieldSelector } from '../api/selector-fields.ts'
import { exactField } from '../api/selector.ts'
import type { Query } from './query.ts'

export type ResourceVerb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection'
  | 'proxy'
  /** A method without a meaning for resources (OPTIONS). Messages then have a gap where the verb would be. */
  | ''

export interface ResourceInfo {
  readonly kind: 'resource'
  readonly verb: ResourceVerb
  readonly group: string
  readonly version: string
  /** The plural; empty for a path with doubled slashes. */
  readonly resource: string
  readonly subresource: string | undefined
  /** The path after the subresource of a proxy request. */
  readonly rest: readonly string[]
  /** For `/namespaces/x` both `namespace` and `name` are `x` (P-102). */
  readonly namespace: string | undefined
  readonly name: string | undefined
  /** The only name that a list or watch selects, by `fieldSelector=metadata.name=…`. Authorization uses it as the name. */
  readonly selectedName: string | undefined
  /** The path has the old form with `watch/` or `proxy/` before the resource. */
  readonly legacy: boolean
}

/** All paths that are not of resources: health, discovery, metrics, and unknown paths. */
export interface PathInfo {
  readonly kind: 'path'
  /** The method in lower case. */
  readonly verb: string
  /** The path of a profile, which takes as long as its client requests. */
  readonly isProfile?: true
}

/** The path has a dot segment, or it is a resource path that stops too early, such as `/api/v1/watch`. */
export interface BrokenInfo {
  readonly kind: 'broken'
  readonly message: string
}

export type RequestInfo = ResourceInfo | PathInfo | BrokenInfo

/**
 * Whether a request is for transactions. A transaction has operations on several objects, which are stored together. Each operation is
 * authorized and audited separately.
 */
export function isTransaction(info: RequestInfo): info is ResourceInfo {
  if (info.kind !== 'resource' || info.group !== 'transactions.quarterdeck.io') return false
  return info.version === 'v1' && info.resource === 'transactions'
}

const VERBS: ReadonlyMap<string, ResourceVerb> = new Map([
  ['POST', 'create'],
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
])

const REMEMBERED = 4096
const LONGEST_REMEMBERED = 200

/** Remembers the meaning of paths, because the same objects are requested again and again. */
export class RequestInfos {
  readonly #known = new Map<string, Map<string, RequestInfo>>()

  of(method: string, path: string, query: Query): RequestInfo {
    const known = this.#known.get(method)
    return known?.get(path) ?? this.#learn(method, path, query)
  }

  #learn(method: string, path: string, query: Query): RequestInfo {
    const info = requestInfoOf(method, path, query)
    // Only the meaning of lists and watches depends on the query.
    const isByPath = info.kind === 'resource' && info.verb !== 'list' && info.verb !== 'watch'
    if (!isByPath || path.length > LONGEST_REMEMBERED || !VERBS.has(method)) return info
    const known = this.#known.get(method)
    if (known === undefined || known.size >= REMEMBERED) this.#known.set(method, new Map([[path, info]]))
    else known.set(path, info)
    return info
  }
}

/** `path` is percent-decoded, so an encoded slash separates segments like any other slash. */
export function requestInfoOf(method: string, path: string, query: Query): RequestInfo {
  const dots = DOT_SEGMENT.exec(path)
  if (dots !== null) return { kind: 'broken', message: `invalid path: no part may be '${dots[1]}'` }
  const segments = trimSlashes(path).split('/')
  const grouped = segments[0] === 'apis'
  const isResource = grouped ? segments.length >= 4 : segments[0] === 'api' && segments.length >= 3
  if (!isResource) {
    const info = { kind: 'path', verb: method.toLowerCase() } as const
    return path.startsWith('/debug/pprof/') ? { ...info, isProfile: true } : info
  }
  const versionAt = grouped ? 2 : 1
  const first = segments[versionAt + 1]
  const legacy = first === 'watch' || first === 'proxy'
  if (legacy && segments.length < versionAt + 3) {
    return { kind: 'broken', message: `unable to determine kind and namespace from url, ${path}` }
  }
  const placeAt = versionAt + (legacy ? 2 : 1)
  const namespace = segments[placeAt] === 'namespaces' ? segments[placeAt + 1] : undefined
  const resourceAt = namespace === undefined || isOfNamespaceItself(segments[placeAt + 2]) ? placeAt : placeAt + 2
  const resource = segments[resourceAt] ?? ''
  const named = segments[resourceAt + 1]
  const name = named === '' ? undefined : named
  const verb = legacy ? first : method === 'QUERY' ? queryVerb(name) : verbOf(VERBS.get(method) ?? '', name, query)
  const hasSubresource = verb !== 'proxy'
  const restAt = resourceAt + (hasSubresource ? 3 : 2)
  return {
    kind: 'resource',
    verb,
    group: grouped ? (segments[1] ?? '') : coreGroupOf(resource),
    version: segments[versionAt] ?? '',
    resource,
    subresource: hasSubresource ? segments[resourceAt + 2] : undefined,
    rest: restAt < segments.length ? segments.slice(restAt) : NONE,
    namespace,
    name,
    selectedName: verb === 'list' || verb === 'watch' ? selectedNameOf(query) : undefined,
    legacy,
  }
}

const NONE: readonly string[] = []

/** Another server could resolve a dot segment to a path that was not authorized (D36). */
const DOT_SEGMENT = /(?:^|\/)(\.\.?)(?:\/|$)/

/** The specification has access reviews also in the core group (D15). They are the same resources, with the same rights. */
function coreGroupOf(resource: string): string {
  return resource === 'subjectaccessreviews' || resource === 'localsubjectaccessreviews' ? 'authorization.k8s.io' : ''
}

/**
 * Whether a path names the namespace itself: nothing or a subresource of the namespace follows `namespaces/<ns>`. Every other segment there
 * is a resource in the namespace.
 */
function isOfNamespaceItself(next: string | undefined): boolean {
  return next === undefined || next === 'status' || next === 'finalize'
}

/** The verb of the method QUERY (RFC 10008), which reads a collection and needs the right to list it. */
function queryVerb(name: string | undefined): ResourceVerb {
  return name === undefined ? 'list' : ''
}

function verbOf(verb: ResourceVerb, name: string | undefined, query: Query): ResourceVerb {
  if (name !== undefined) return verb
  if (verb === 'get') return asksForWatch(query) ? 'watch' : 'list'
  return verb === 'delete' ? 'deletecollection' : verb
}

/** The name that the field selector selects, if it can be a segment of a path (P-104). */
function selectedNameOf(query: Query): string | undefined {
  const selector = query.get('fieldSelector')
  if (selector === undefined) return undefined
  const name = readable(selector)
  return name === undefined || name === '.' || name === '..' || /[/%]/.test(name) ? undefined : name
}

function readable(selector: string): string | undefined {
  try {
    return exactField(parseFieldSelector(selector), 'metadata.name')
  } catch {
    // The list itself reports the fault.
    return undefined
  }
}

function trimSlashes(path: string): string {
  let start = 0
  let end = path.length
  while (start < end && path.charCodeAt(start) === 0x2f) start++
  while (end > start && path.charCodeAt(end - 1) === 0x2f) end--
  return path.slice(start, end)
}
