// Finds the keys of a type that a list must read. The position of a page is relative to the client's list of one namespace or of all
// namespaces, even with a selector. So a token means the same on every page.
import type { PagePosition } from '../api/read.ts'
import { keyInType, namespaceInType } from './keys.ts'
import type { Matcher } from './selection.ts'
import type { ListRequest } from './store.ts'

/** Keys relative to the type, from `start` (inclusive) to `end` (exclusive). */
export interface ListRange {
  readonly start: string
  readonly end: string
  /** The base of positions: the type, or the namespace in it. */
  readonly base: string
}

/** Greater than every key: keys are printable ASCII. */
const BEHIND_ALL = '\x7f'

/** Undefined: no object can match. */
export function listRange(request: ListRequest, matcher: Matcher | undefined): ListRange | undefined {
  const base = request.namespace === undefined ? '' : namespaceInType(request.namespace)
  if (base === undefined) return undefined
  const narrow = narrowed(request, matcher, base)
  if (narrow === undefined) return undefined
  const position = request.at.kind === 'continuation' ? base + request.at.position.start : base
  return { start: position > narrow.start ? position : narrow.start, end: narrow.end, base }
}

/** The position after a page whose last item has this key. */
export function positionAfter(key: string, range: ListRange, revision: number): PagePosition {
  return { revision, start: `${key.slice(range.base.length)}\0` }
}

function narrowed(
  request: ListRequest,
  matcher: Matcher | undefined,
  base: string,
): { readonly start: string; readonly end: string } | undefined {
  const { resource } = request
  const namespace = request.namespace ?? matcher?.namespace
  if (matcher?.name !== undefined && (namespace !== undefined || !resource.namespaced)) {
    const key = keyInType({ resource, namespace: resource.namespaced ? (namespace ?? '') : '', name: matcher.name })
    return key === undefined || !key.startsWith(base) ? undefined : { start: key, end: `${key}\0` }
  }
  if (namespace === undefined || !resource.namespaced) return { start: base, end: base + BEHIND_ALL }
  const prefix = namespaceInType(namespace)
  return prefix === undefined || !prefix.startsWith(base) ? undefined : { start: prefix, end: prefix + BEHIND_ALL }
}
