// The resources of the built-in kinds, from the compiled table, with their names, paths and verbs.
import { createHash } from 'node:crypto'
import { type ApiLevel, byLevel, isSinceRelease } from '../api/level.ts'
import { formatGroupVersion, type GroupVersion, type GroupVersionKind, parseGroupVersion } from '../api/object.ts'
import { builtInAt } from './built-in-compiled.ts'
import type { CompiledFile, CompiledResource, CompiledType } from './table-compiled.ts'

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
  /** The version that the reference stores. */
  readonly storageVersion?: GroupVersion
  /** The deprecation warning in every answer. */
  readonly deprecation?: string | undefined
  /** The resource is served only if all of these feature gates are on. */
  readonly gates?: readonly string[]
  readonly subresources: readonly BuiltInSubresource[]
}

interface BuiltInSubresource extends GroupVersionKind {
  /** `status`, without the name of the resource. */
  readonly name: string
  readonly verbs: readonly string[]
}

export interface BuiltInGroup {
  /** Empty for the core group. */
  readonly group: string
  /** The preferred version comes first. */
  readonly versions: readonly BuiltInVersion[]
}

export interface BuiltInVersion {
  readonly version: string
  /** The priorities of the group and of the version in the APIService. Undefined: the version has no priorities. */
  readonly priority: { readonly group: number; readonly version: number } | undefined
  /** Sorted by plural. */
  readonly resources: readonly BuiltInResource[]
  /** The version is served only if the operator requests it. */
  readonly offByDefault?: true
  /** The resources come from definitions. Discovery does not sort them by name. */
  readonly custom?: true
  /** Another server serves the version, and its resources are unknown now. */
  readonly stale?: true
}

const VERBS: readonly string[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']
const SUBRESOURCE_VERBS: readonly string[] = ['get', 'patch', 'update']

/** The groups that a level serves by default, in the order of discovery, the core group first. */
export function builtInGroups(level?: ApiLevel): readonly BuiltInGroup[] {
  return defaultGroupsAt(level)
}

/** All groups of a level, including versions that are off by default. */
export function allBuiltInGroups(level?: ApiLevel): readonly BuiltInGroup[] {
  return groupsAt(level)
}

/** The groups with the served resources only. Versions without resources, and groups without versions, are dropped. */
export function groupsWith(
  groups: readonly BuiltInGroup[],
  isServed: (resource: BuiltInResource, version: BuiltInVersion) => boolean,
): readonly BuiltInGroup[] {
  return groups.flatMap(({ group, versions }) => {
    const rest = versions.flatMap((version) => {
      const resources = version.resources.filter((row) => isServed(row, version))
      return resources.length === 0 ? [] : [{ ...version, resources }]
    })
    return rest.length === 0 ? [] : [{ group, versions: rest }]
  })
}

function groupsOf(files: readonly CompiledFile[], level: ApiLevel): readonly BuiltInGroup[] {
  const served = files.filter((file) => file.served === true)
  const groups = [...Map.groupBy(served, (file) => file.group ?? '')]
    .map(([group, files]) => ({ group, files: files.toSorted((a, b) => priorityOf(b, 1) - priorityOf(a, 1)) }))
    .sort((a, b) => compareGroups(a.files[0], b.files[0]))
    .map(({ group, files: own }) => ({ group, versions: own.map((file) => versionOf(file, { files, level })) }))
  return groupsWith(groups, () => true)
}

/** The core group comes first, then groups without a priority, then the others by priority. Groups of equal priority are sorted by name. */
function compareGroups(a: CompiledFile | undefined, b: CompiledFile | undefined): number {
  const [left, right] = [a?.group ?? '', b?.group ?? '']
  if (left === '' || right === '') return left.length - right.length
  return priorityOf(b, 0) - priorityOf(a, 0) || (left < right ? -1 : 1)
}

function priorityOf(file: CompiledFile | undefined, part: 0 | 1): number {
  return file?.priority?.[part] ?? Number.MAX_SAFE_INTEGER
}

/** A level and its files. */
interface Level {
  readonly files: readonly CompiledFile[]
  readonly level: ApiLevel
}

function versionOf(file: CompiledFile, all: Level): BuiltInVersion {
  const gv = gvOf(file)
  const resources = file.types
    .flatMap(({ name, resource }) => {
      if (resource === undefined) return []
      return [
        resourceOf({ ...gv, kind: name }, resource, { ...all, storageVersion: storageVersionOf(file, name, all) }),
      ]
    })
    .sort((a, b) => (a.plural < b.plural ? -1 : 1))
  const [group, version] = file.priority ?? []
  const priority = group === undefined || version === undefined ? undefined : { group, version }
  return { version: gv.version, priority, resources, ...(file.offByDefault === true && { offByDefault: true }) }
}

function gvOf({ group = '', version = '' }: CompiledFile): GroupVersion {
  return { group, version }
}

/** The declared storage version, else that of the kind in the file `like` if the level has the kind there, else the file's version. */
function storageVersionOf(file: CompiledFile, kind: string, all: Level): GroupVersion {
  const typeIn = (holder: CompiledFile | undefined): CompiledType | undefined =>
    holder?.types.find(({ name }) => name === kind)
  const declared = typeIn(file)?.resource?.storageVersion
  if (declared !== undefined) return parseGroupVersion(declared) ?? gvOf(file)
  const like = all.files.find(({ stem }) => stem === file.like)
  return like === undefined || typeIn(like)?.resource === undefined ? gvOf(file) : storageVersionOf(like, kind, all)
}

function resourceOf(
  gvk: GroupVersionKind,
  resource: CompiledResource,
  { level, storageVersion }: { readonly level: ApiLevel; readonly storageVersion: GroupVersion },
): BuiltInResource {
  return {
    ...gvk,
    plural: resource.plural,
    singular: gvk.kind.toLowerCase(),
    namespaced: resource.namespaced,
    shortNames: resource.shortNames ?? [],
    categories: resource.categories ?? [],
    verbs: resource.verbs ?? VERBS,
    storageVersionHash: resource.stored === false ? undefined : storageVersionHash(storageVersion, gvk.kind),
    storageVersion,
    deprecation: deprecationOf(gvk, resource, level),
    gates: resource.gate?.split(',') ?? [],
    subresources: (resource.subresources ?? []).map((one) => ({ ...gvk, verbs: SUBRESOURCE_VERBS, ...one })),
  }
}

/** the first eight bytes of the SHA-256 of `group/version/Kind` of the stored form, in base64. */
function storageVersionHash({ group, version }: GroupVersion, kind: string): string {
  return createHash('sha256').update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString('base64')
}

function deprecationOf(
  { kind, ...gv }: GroupVersionKind,
  { deprecated, removed, replacement }: CompiledResource,
  level: ApiLevel,
): string | undefined {
  if (deprecated === undefined || !isSinceRelease(level, deprecated)) return undefined
  const parts = [`${formatGroupVersion(gv)} ${kind} is deprecated in v${deprecated}+`]
  if (removed !== undefined) parts.push(`unavailable in v${removed}+`)
  return [parts.join(', '), ...(replacement === undefined ? [] : [`use ${replacement}`])].join('; ')
}

const groupsAt = byLevel((level) => groupsOf(builtInAt(level).files, level))
const defaultGroupsAt = byLevel((level) =>
  groupsWith(groupsAt(level), (_row, { offByDefault }) => offByDefault !== true),
)
