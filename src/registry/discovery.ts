// The discovery documents: groups, versions and resources, plain and aggregated.
import { formatGroupVersion, type GroupVersion, type GroupVersionKind } from '../api/object.ts'
import type { ValueMap } from '../api/value.ts'
import type { BuiltInGroup, BuiltInResource, BuiltInVersion } from '../schema/built-in-resources.ts'

/** A group in the form of discovery. Custom groups have the same form. */
export type DiscoveryGroup = BuiltInGroup

/** `/apis`: all groups except the core group. Groups of the same rank are in the order of the names of their APIServices. */
export function groupListDocument(groups: readonly DiscoveryGroup[]): ValueMap {
  const ranked = groups.filter(({ group }) => group !== '').map((group) => ({ group, ...rankOf(group) }))
  ranked.sort((a, b) => b.rank - a.rank || (a.name < b.name ? -1 : 1))
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: ranked.map(({ group }) => groupMembers(group)) }
}

function rankOf({ group, versions }: DiscoveryGroup): { readonly rank: number; readonly name: string } {
  const rank = Math.max(...versions.map(groupPriority))
  const highest = versions.filter((version) => groupPriority(version) === rank)
  return { rank, name: highest.map(({ version }) => `${version}.${group}`).sort()[0] ?? group }
}

/** Entries without a priority come first. */
export function groupPriority({ priority }: DiscoveryGroup['versions'][number]): number {
  return priority?.group ?? Number.MAX_SAFE_INTEGER
}

/** `/apis/<group>`. */
export function groupDocument(group: DiscoveryGroup): ValueMap {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupMembers(group) }
}

function groupMembers({ group, versions }: DiscoveryGroup): ValueMap {
  const told = versions.map(({ version }) => ({ groupVersion: formatGroupVersion({ group, version }), version }))
  return { name: group, versions: told, preferredVersion: told[0] ?? { groupVersion: '', version: '' } }
}

/** `/api`: the core group has a form of its own, without apiVersion. */
export function coreVersionsDocument(core: DiscoveryGroup | undefined, serverAddress: string): ValueMap {
  return {
    kind: 'APIVersions',
    versions: (core?.versions ?? []).map(({ version }) => version),
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  }
}

/** `/api/v1`, `/apis/<group>/<version>`: resources and subresources, by name. */
export function resourceListDocument(gv: GroupVersion, { resources, custom }: BuiltInVersion): ValueMap {
  const entries = resources.flatMap((resource) => resourceEntries(gv, resource))
  return {
    kind: 'APIResourceList',
    ...(gv.group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: formatGroupVersion(gv),
    resources: custom === true ? entries : entries.sort((a, b) => (a.name < b.name ? -1 : 1)),
  }
}

type ResourceEntry = ValueMap & { readonly name: string }

function resourceEntries(gv: GroupVersion, resource: BuiltInResource): ResourceEntry[] {
  const { plural, namespaced } = resource
  const main: ResourceEntry = {
    name: plural,
    singularName: resource.singular,
    namespaced,
    kind: resource.kind,
    verbs: resource.verbs,
    ...optionalNames(resource),
    ...(resource.storageVersionHash === undefined ? {} : { storageVersionHash: resource.storageVersionHash }),
  }
  const below = resource.subresources.map(
    (sub): ResourceEntry => ({
      name: `${plural}/${sub.name}`,
      singularName: '',
      namespaced,
      ...(isIn(gv, sub) ? {} : { group: sub.group, version: sub.version }),
      kind: sub.kind,
      verbs: sub.verbs,
    }),
  )
  return [main, ...below]
}

function optionalNames({ shortNames, categories }: BuiltInResource): ValueMap {
  return { ...(shortNames.length === 0 ? {} : { shortNames }), ...(categories.length === 0 ? {} : { categories }) }
}

function isIn(gv: GroupVersion, kind: GroupVersionKind): boolean {
  return kind.group === gv.group && kind.version === gv.version
}

/** In the aggregated form, a group with all its versions is one item. */
export function aggregatedItem({ group, versions }: DiscoveryGroup): ValueMap {
  return {
    metadata: group === '' ? {} : { name: group },
    versions: versions.map(({ version, resources, stale, custom }) =>
      stale === true
        ? { version, freshness: 'Stale' }
        : {
            version,
            resources: custom === true ? customResources(resources) : builtInResources({ group, version }, resources),
            freshness: 'Current',
          },
    ),
  }
}

/** Kinds of the enclosing version have an empty group and version. Subresources are sorted. */
function builtInResources(gv: GroupVersion, resources: readonly BuiltInResource[]): readonly ValueMap[] {
  const shown = (kind: GroupVersionKind): ValueMap =>
    isIn(gv, kind) ? { group: '', version: '', kind: kind.kind } : fullKind(kind)
  const inOrder = (a: Subresource, b: Subresource): number => (a.name < b.name ? -1 : 1)
  return resources.map((resource) => aggregatedResource(resource, resource.subresources.toSorted(inOrder), shown))
}

/** Custom resources are sorted, but their subresources are not. All their kinds have the group and the version. */
function customResources(resources: readonly BuiltInResource[]): readonly ValueMap[] {
  return resources
    .toSorted((a, b) => (a.plural < b.plural ? -1 : 1))
    .map((resource) => aggregatedResource(resource, resource.subresources, fullKind))
}

function fullKind({ group, version, kind }: GroupVersionKind): ValueMap {
  return { group, version, kind }
}

type Subresource = BuiltInResource['subresources'][number]

function aggregatedResource(
  resource: BuiltInResource,
  subresources: readonly Subresource[],
  responseKind: (kind: GroupVersionKind) => ValueMap,
): ValueMap {
  const below = subresources.map((sub) => ({
    subresource: sub.name,
    responseKind: responseKind(sub),
    verbs: sub.verbs,
  }))
  return {
    resource: resource.plural,
    responseKind: responseKind(resource),
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: resource.singular,
    verbs: resource.verbs,
    ...optionalNames(resource),
    ...(below.length === 0 ? {} : { subresources: below }),
  }
}
