// Kinds, and the addresses of their objects in the API.

export interface Kind {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly kind: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  readonly shortNames: readonly string[]
  readonly subresources: readonly string[]
}

export interface ObjectName {
  /** Empty: none. */
  readonly namespace: string
  readonly name: string
}

export function canList({ verbs }: Kind): boolean {
  return verbs.includes('list')
}

/** The path of the group-version: `/apis/apps/v1`. */
export function versionPath({ group, version }: Pick<Kind, 'group' | 'version'>): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`
}

export function placeText({ namespace, name }: ObjectName): string {
  return namespace === '' ? name : `${namespace}/${name}`
}

/** The chosen namespaces: `a,b`. Empty: all. */
export function namespacesIn(chosen: string): readonly string[] {
  return [...new Set(chosen.split(/[\s,]+/).filter((name) => name !== ''))]
}

/** The chosen namespace. Empty if several are chosen, for pages that show one namespace or all. */
export function oneNamespace(chosen: string): string {
  return chosen.includes(',') ? '' : chosen
}

/** The path of the collection in a namespace. Empty: in all namespaces. */
export function collectionPath(kind: Kind, namespace = ''): string {
  const place = kind.namespaced && namespace !== '' ? `/namespaces/${encodeURIComponent(namespace)}` : ''
  return `${versionPath(kind)}${place}/${kind.plural}`
}

export function objectPath(kind: Kind, { namespace, name }: ObjectName): string {
  return `${collectionPath(kind, namespace)}/${encodeURIComponent(name)}`
}

/** The served kind of an object or of a reference to one. */
export function kindOf(
  kinds: readonly Kind[],
  named: { readonly apiVersion: string; readonly kind: string },
): Kind | undefined {
  const group = named.apiVersion.split('/').slice(0, -1).join('/')
  return kinds.find((one) => one.kind === named.kind && one.group === group)
}

/** `deployments.apps`, as kubectl takes it. */
export function resourceName({ group, plural }: Pick<Kind, 'group' | 'plural'>): string {
  return group === '' ? plural : `${plural}.${group}`
}
