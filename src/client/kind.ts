// What a client has to know of a kind to reach its objects.

/**
 * A kind and the type of its objects. Those of the server's own are in `k8s`; for others say `group`, `version` and the `plural`, or the
 * `kind` alone, and the server's discovery is asked for the plural, once.
 */
export interface Kind<T> {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly kind?: string
  readonly plural?: string
  readonly namespaced?: boolean
  /** Never there: it binds the type of the objects to the kind. */
  readonly object?: T
}

export function apiVersionOf({ group, version }: Kind<unknown>): string {
  return group === '' ? version : `${group}/${version}`
}
