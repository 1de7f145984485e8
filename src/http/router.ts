// Finds the handler of a request: by an exact path, by a path and everything below it, or for resources. A path without a handler is
// answered with 404 in plain text.
import type { CallerHandler, Handler, HttpRequest } from './http.ts'
import { bytesOf, pageNotFound } from './responses.ts'

export interface Route {
  /** Such as `/version`. The path of a subtree has no final slash. */
  readonly path: string
  readonly subtree?: boolean
  readonly handler: CallerHandler
  /** The paths that the index lists instead of this one. */
  readonly listed?: () => readonly string[]
}

export interface RouterOptions {
  readonly routes: readonly Route[]
  /** Handles requests for resources. Absent: no resources are served. */
  readonly resources?: CallerHandler
}

export function routeRequests({ routes, resources }: RouterOptions): CallerHandler {
  const exact = new Map(routes.map((route) => [route.path, route.handler]))
  const subtrees = routes.filter((route) => route.subtree === true)
  return (request, caller) => {
    if (hasEmptyBeginning(request.path)) return pageNotFound()
    if (request.info.kind === 'resource') return resources === undefined ? pageNotFound() : resources(request, caller)
    const handler = exact.get(request.path) ?? subtrees.find((route) => isBelow(request, route))?.handler
    return handler === undefined ? pageNotFound() : handler(request, caller)
  }
}

/** Paths that begin with two slashes, or have two after `/apis`, have no handler. */
function hasEmptyBeginning(path: string): boolean {
  return path.startsWith('//') || path.startsWith('/apis//')
}

function isBelow(request: HttpRequest, route: Route): boolean {
  return request.path.startsWith(`${route.path}/`)
}

/** The page at `/` that lists all paths. */
export function indexPage(routes: readonly Route[]): Handler {
  return () => {
    const paths = routes.flatMap(({ path, listed }) => listed?.() ?? [path])
    return bytesOf('application/json', Buffer.from(JSON.stringify({ paths: [...new Set(paths)].sort() }, undefined, 2)))
  }
}
