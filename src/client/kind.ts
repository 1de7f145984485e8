// The names by which a client reaches the objects of a kind.

/**
 * A kind and the types of its objects, in the form that clients read and in the form that they may send. Built-in kinds are in `k8s`. For
 * other kinds, give `group`, `version` and either the `plural` or the `kind`. From the `kind`, the client finds the plural by the server's
 * discovery.
 */
export interface Kind<T, Sent = T> {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly kind?: string
  readonly plural?: string
  readonly namespaced?: boolean
  /** This and `input` are never set. They bind the types of the objects to the kind. */
  readonly object?: T
  readonly input?: Sent
}

export function apiVersionOf({ group, version }: Kind<unknown>): string {
  return group === '' ? version : `${group}/${version}`
}
