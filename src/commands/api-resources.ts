// The resources in a server's discovery, found by the same words as in kubectl, and the paths of their objects.
import { formatGroupVersion } from '../api/object.ts'
import type { Client } from '../client/client.ts'
import { usageError } from '../config/start-error.ts'

export interface ApiResource {
  readonly group: string
  readonly version: string
  /** The plural. */
  readonly resource: string
  readonly kind: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  /** The singular and the short names. */
  readonly alsoNamed: readonly string[]
}

interface DiscoveredGroup {
  readonly metadata?: { readonly name?: string }
  readonly versions?: readonly { readonly version: string; readonly resources?: readonly DiscoveredResource[] }[]
}

interface DiscoveredResource {
  readonly resource: string
  readonly responseKind?: { readonly kind: string }
  readonly scope: string
  readonly verbs: readonly string[]
  readonly singularResource?: string
  readonly shortNames?: readonly string[]
}

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

/** Reads all resources: the core group first, then the other groups in the server's order. The preferred version of a group comes first. */
export async function apiResources(client: Client): Promise<readonly ApiResource[]> {
  const answers = await Promise.all(
    ['/api', '/apis'].map((path) => client.request({ method: 'GET', path, headers: { accept: AGGREGATED } })),
  )
  return answers
    .flatMap(({ text }) => (JSON.parse(text) as { items: readonly DiscoveredGroup[] }).items)
    .flatMap(resourcesIn)
}

function resourcesIn({ metadata, versions = [] }: DiscoveredGroup): readonly ApiResource[] {
  return versions.flatMap(({ version, resources = [] }) =>
    resources.map(({ resource, responseKind, scope, verbs, singularResource = '', shortNames = [] }) => ({
      group: metadata?.name ?? '',
      version,
      resource,
      kind: responseKind?.kind ?? '',
      namespaced: scope === 'Namespaced',
      verbs,
      alsoNamed: [singularResource, ...shortNames],
    })),
  )
}

/** Finds a resource by plural, singular, short name or kind, in any case. A group may follow a dot: `deploy`, `widgets.example.com`. */
export function findResource(resources: readonly ApiResource[], word: string): ApiResource {
  const [name = '', ...group] = word.toLowerCase().split('.')
  const found = resources.find(
    (each) =>
      (group.length === 0 || each.group === group.join('.')) &&
      (each.resource === name || each.kind.toLowerCase() === name || each.alsoNamed.includes(name)),
  )
  if (found === undefined) throw new Error(`the server has no resource ${JSON.stringify(word)}`)
  return found
}

/** Throws an error that names the kind, if the server does not serve it. */
export function resourceOf(resources: readonly ApiResource[], apiVersion: string, kind: string): ApiResource {
  const found = resources.find((each) => formatGroupVersion(each) === apiVersion && each.kind === kind)
  if (found === undefined) throw new Error(`the server has no kind ${kind} in ${apiVersion}`)
  return found
}

/** Throws a `StartError` if a namespace is given and the objects have no namespaces. */
export function checkScope({ namespaced, resource }: ApiResource, namespace: string | undefined): void {
  if (!namespaced && namespace !== undefined)
    throw usageError(`--namespace ${namespace}: ${resource} have no namespace`)
}

export interface NamedObject {
  readonly namespace: string
  readonly name: string
}

export function objectPath(resource: ApiResource, { namespace, name }: NamedObject): string {
  return `${collectionPath(resource, namespace)}/${encodeURIComponent(name)}`
}

/** The path of the objects in a namespace. If `namespace` is absent, the path of the objects in all namespaces. */
export function collectionPath({ group, version, resource, namespaced }: ApiResource, namespace?: string): string {
  const parts = [
    ...(group === '' ? ['api', version] : ['apis', group, version]),
    ...(namespaced && namespace !== undefined ? ['namespaces', namespace] : []),
    resource,
  ]
  return `/${parts.map(encodeURIComponent).join('/')}`
}
