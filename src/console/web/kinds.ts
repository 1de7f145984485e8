// Reads the served kinds from discovery.
import { askAnew, type Kept } from './api.ts'
import type { Kind } from './kind.ts'

interface DiscoveredResource {
  readonly resource: string
  readonly responseKind?: { readonly kind: string }
  readonly scope: 'Namespaced' | 'Cluster'
  readonly verbs: readonly string[]
  readonly shortNames?: readonly string[]
  readonly subresources?: readonly { readonly subresource: string }[]
}

interface Discovery {
  readonly items: readonly {
    readonly metadata?: { readonly name?: string }
    readonly versions: readonly { readonly version: string; readonly resources?: readonly DiscoveredResource[] }[]
  }[]
}

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

const PLACES = ['/api', '/apis'] as const

export class Kinds {
  #kept: readonly (Kept<Discovery> | undefined)[] = PLACES.map(() => undefined)
  /** The kinds by their JSON. An unchanged kind stays the same object, because a page is loaded again for a new object. */
  #kinds: ReadonlyMap<string, Kind> = new Map()
  #listed: readonly Kind[] = []

  /** Each kind in the version that its group prefers, the core group first. Returns the same list if nothing has changed. */
  async read(): Promise<readonly Kind[]> {
    const before = this.#kept
    const now = await Promise.all(PLACES.map((path, i) => askAnew(path, { accept: AGGREGATED }, before[i])))
    if (now.some((kept, i) => kept !== this.#kept[i])) {
      this.#kept = now
      const found = now.flatMap(({ document }) =>
        document.items.flatMap(({ metadata, versions }) => kindsIn(metadata?.name ?? '', versions)),
      )
      const texts = found.map((kind) => [JSON.stringify(kind), kind] as const)
      this.#kinds = new Map(texts.map(([text, kind]) => [text, this.#kinds.get(text) ?? kind]))
      this.#listed = [...this.#kinds.values()]
    }
    return this.#listed
  }
}

function kindsIn(group: string, versions: Discovery['items'][number]['versions']): readonly Kind[] {
  const found = new Map<string, Kind>()
  for (const { version, resources = [] } of versions) {
    for (const { resource, responseKind, scope, verbs, shortNames = [], subresources: parts = [] } of resources) {
      if (found.has(resource) || responseKind === undefined) continue
      const namespaced = scope === 'Namespaced'
      const subresources = parts.map(({ subresource }) => subresource)
      const named = { group, version, plural: resource, kind: responseKind.kind }
      found.set(resource, { ...named, namespaced, verbs, shortNames, subresources })
    }
  }
  return [...found.values()]
}
