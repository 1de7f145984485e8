// What a client has to know of a kind to reach its objects.

/**
 * A kind and the type of its objects, as they are read and as they may be sent, which is mostly the same. Those of the server's own are in `k8s`; for others say `group`, `version` and the `plural`, or the
 * `kind` alone, and the server's discovery is asked for the plural, once.
 */
export interface Kind<T, Sent = T> {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly kind?: string
  readonly plural?: string
  readonly namespaced?: boolean
  /** Never there, as `input`: they bind the types of the objects to the kind. */
  readonly object?: T
  readonly input?: Sent
}

export function apiVersionOf({ group, version }: Kind<unknown>): string {
  return group === '' ? version : `${group}/${version}`
}
