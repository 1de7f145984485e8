// The resources of the built-in kinds by the compiled table, with their names, paths and verbs.
import { createHash } from 'node:crypto'
import { type ApiLevel, byLevel } from '../api/level.ts'
import { formatGroupVersion, type GroupVersion, type GroupVersionKind } from '../api/object.ts'
import { builtInAt } from './built-in-compiled.ts'
import type { CompiledFile, CompiledResource } from './table-compiled.ts'

export interface BuiltInResource extends GroupVersionKind {
  readonly plural: string
  readonly singular: string
  readonly namespaced: boolean
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  /** In alphabetical order. */
  readonly verbs: readonly string[]
  /** The hash of the stored form, for discovery. Undefined: nothing is stored. */
  readonly storageVersionHash: string | undefined
  readonly subresources: readonly BuiltInSubresource[]
}

interface BuiltInSubresource extends GroupVersionKind {
  /** `status`, without the resource. */
  readonly name: string
  readonly verbs: readonly string[]
}

export interface BuiltInGroup {
  /** Empty for the core group. */
  readonly group: string
  /** The preferred one first. */
  readonly versions: readonly BuiltInVersion[]
}

export interface BuiltInVersion {
  readonly version: string
  /** The priorities of the group and of the version in its APIService. Undefined: it has none. */
  readonly priority: { readonly group: number; readonly version: number } | undefined
  /** Sorted by plural. */
  readonly resources: readonly BuiltInResource[]
  /** Its resources come from definitions and are listed in their own order. */
  readonly custom?: true
  /** Another server serves it, and its resources are unknown now. */
  readonly stale?: true
}

const VERBS: readonly string[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']
const SUBRESOURCE_VERBS: readonly string[] = ['get', 'patch', 'update']

/** The groups of a level in the order of discovery, the core group first. */
export function builtInGroups(level?: ApiLevel): readonly BuiltInGroup[] {
  return groupsAt(level)
}

function groupsOf(files: readonly CompiledFile[]): readonly BuiltInGroup[] {
  const served = files.filter((file) => file.served === true)
  return [...Map.groupBy(served, (file) => file.group ?? '')]
    .map(([group, files]) => ({ group, files: files.toSorted((a, b) => priorityOf(b, 1) - priorityOf(a, 1)) }))
    .sort((a, b) => compareGroups(a.files[0], b.files[0]))
    .map(({ group, files }) => ({ group, versions: files.map(versionOf) }))
}

/** The core group comes first, then groups without a priority, then by priority, then by name. */
function compareGroups(a: CompiledFile | undefined, b: CompiledFile | undefined): number {
  const [left, right] = [a?.group ?? '', b?.group ?? '']
  if (left === '' || right === '') return left.length - right.length
  return priorityOf(b, 0) - priorityOf(a, 0) || (left < right ? -1 : 1)
}

function priorityOf(file: CompiledFile | undefined, part: 0 | 1): number {
  return file?.priority?.[part] ?? Number.MAX_SAFE_INTEGER
}

function versionOf(file: CompiledFile): BuiltInVersion {
  const gv = { group: file.group ?? '', version: file.version ?? '' }
  const resources = file.types
    .flatMap(({ name, resource }) => (resource === undefined ? [] : [resourceOf({ ...gv, kind: name }, resource)]))
    .sort((a, b) => (a.plural < b.plural ? -1 : 1))
  const [group, version] = file.priority ?? []
  const priority = group === undefined || version === undefined ? undefined : { group, version }
  return { version: gv.version, priority, resources }
}

function resourceOf(gvk: GroupVersionKind, resource: CompiledResource): BuiltInResource {
  return {
    ...gvk,
    plural: resource.plural,
    singular: gvk.kind.toLowerCase(),
    namespaced: resource.namespaced,
    shortNames: resource.shortNames ?? [],
    categories: resource.categories ?? [],
    verbs: resource.verbs ?? VERBS,
    storageVersionHash: resource.stored === false ? undefined : storageVersionHash(gvk, resource),
    subresources: (resource.subresources ?? []).map((one) => ({ ...gvk, verbs: SUBRESOURCE_VERBS, ...one })),
  }
}

/** R-302: the first eight bytes of the SHA-256 of `group/version/Kind` of the stored form, in base64. */
function storageVersionHash(gvk: GroupVersionKind, resource: CompiledResource): string {
  const stored = resource.storageVersion ?? formatGroupVersion(gvk satisfies GroupVersion)
  const text = `${stored.includes('/') ? stored : `/${stored}`}/${gvk.kind}`
  return createHash('sha256').update(text).digest().subarray(0, 8).toString('base64')
}

const groupsAt = byLevel((level) => groupsOf(builtInAt(level).files))
