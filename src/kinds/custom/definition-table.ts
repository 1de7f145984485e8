// The resources that are served now: the built-in resources and the resources of custom resource definitions. A definition is added,
// changed or removed in one step. A request keeps the resource that it has found.
import { hash } from 'node:crypto'
import type { ApiObject, GroupVersion, GroupVersionKind, GroupVersionResource } from '../../api/object.ts'
import type { StoredObject } from '../../api/read.ts'
import { getOrInsert } from '../../lib/map-entries.ts'
import type { DiscoveryGroup } from '../../registry/discovery.ts'
import type { Resource, ResourceTable } from '../../registry/registry.ts'
import { type BuiltInGroup, builtInGroups } from '../../schema/built-in-resources.ts'
import type { CustomOpenApiResource } from '../../schema/openapi-custom.ts'
import {
  compareVersions,
  type Definition,
  type DefinitionVersion,
  indexesOf,
  readDefinition,
  schemaIn,
} from './definition.ts'
import { RENAME_VERSION } from './form.ts'
import {
  type CustomParts,
  customResource,
  discoveryVerbs,
  schemasOf,
  sharedSchemas,
  type VersionSchemas,
} from './resource.ts'

export interface DefinitionTableOptions extends CustomParts {
  readonly builtIn: ResourceTable
  /** The groups of the built-in resources. Absent: the groups that the level serves by default. */
  readonly known?: readonly BuiltInGroup[]
  /** The built-in groups in discovery. Absent: all. */
  readonly groups?: readonly DiscoveryGroup[]
  /** Called when the schema of a type has changed, or the type is gone: its watches must be restarted. */
  readonly onRetired: (forms: readonly Resource['stored'][], isGone: boolean) => void
  /** The definitions of the server whose state this server starts from. Absent: all definitions are read and compiled. */
  readonly shared?: SharedDefinitions | undefined
}

/**
 * The parts that depend on definitions alone, by the name of the definition. A part is reused only for the same revision of the
 * definition.
 */
export type SharedDefinitions = ReadonlyMap<string, Pick<Installed, 'definition' | 'revision' | 'schemas'>>

interface Installed {
  readonly definition: Definition
  /** The revision of the definition. */
  readonly revision: number
  /** The stored definition. The record stays the same until the spec changes. */
  readonly source: Source
  readonly schemas: VersionSchemas
  readonly resources: readonly Resource[]
}

/** The object of the cache replaces `stored` when it arrives, because it holds less memory. */
interface Source {
  stored: StoredObject
}

export class DefinitionTable implements ResourceTable {
  readonly #options: DefinitionTableOptions
  readonly #installed = new Map<string, Installed>()
  readonly #resources = new Map<string, Resource>()
  readonly #kinds = new Set<string>()
  readonly #builtInGroups: readonly BuiltInGroup[]
  readonly #builtInNames: ReadonlySet<string>
  /** By group. A group that has changed is missing. */
  #groups = new Map<string, DiscoveryGroup>()
  #all: readonly DiscoveryGroup[] | undefined
  #version = 0
  readonly #listeners = new Set<() => void>()

  constructor(options: DefinitionTableOptions) {
    this.#options = options
    this.#builtInGroups = options.known ?? builtInGroups(options.schema.level)
    this.#builtInNames = new Set(namesIn(this.#builtInGroups))
  }

  find(resource: GroupVersionResource): Resource | undefined {
    return this.#options.builtIn.find(resource) ?? this.#resources.get(keyOf(resource))
  }

  *all(): Iterable<Resource> {
    yield* this.#options.builtIn.all()
    yield* this.#resources.values()
  }

  findAction(place: GroupVersionResource & { readonly subresource: string }): ReturnType<ResourceTable['findAction']> {
    return this.#options.builtIn.findAction(place)
  }

  isDeclared(resource: GroupVersionResource): boolean {
    return this.#options.builtIn.isDeclared(resource)
  }

  knowsKind(kind: GroupVersionKind): boolean {
    return this.#options.builtIn.knowsKind(kind) || this.#kinds.has(keyOfKind(kind))
  }

  /** Increases with every change of discovery or the OpenAPI documents. */
  get version(): number {
    return this.#version
  }

  definitions(): Iterable<Definition> {
    return [...this.#installed.values()].map(({ definition }) => definition)
  }

  definition(name: string): Definition | undefined {
    return this.#installed.get(name)?.definition
  }

  /** Whether a type such as `deployments.apps` exists in any version, served or not. */
  isKnown(name: string): boolean {
    return this.#builtInNames.has(name) || this.#installed.has(name)
  }

  /** Whether the resource is defined, and its names have not been checked yet. */
  isAboutToBeServed({ group, version, resource }: GroupVersionResource): boolean {
    const definition = this.#installed.get(`${resource}.${group}`)?.definition
    if (definition === undefined) return false
    const { isServed, isTerminating, areNamesChecked, versions } = definition
    if (isServed || isTerminating || areNamesChecked) return false
    return versions.some((one) => one.version === version && one.served)
  }

  /** The resource in its storage version, served or not. */
  storageResource(name: string): Resource | undefined {
    const known = this.#installed.get(name)
    const version = known?.definition.versions.find((one) => one.version === known.definition.storageVersion)
    if (known === undefined || version === undefined) return undefined
    return customResource({ ...this.#options, converter: () => RENAME_VERSION }, known, version)
  }

  /** Adds or replaces a definition. A definition that is older than the known definition is ignored. */
  put(stored: StoredObject): void {
    const known = this.#installed.get(stored.name)
    if (known?.revision === stored.revision) known.source.stored = stored
    if (known !== undefined && known.revision >= stored.revision) return
    const shared = this.#sharedOf(stored)
    const definition = shared?.definition ?? readDefinition(stored.object())
    const isSame = known !== undefined && isServedTheSame(known.definition, definition)
    const source = isSame ? known.source : { stored }
    source.stored = stored
    const schemas = isSame ? known.schemas : (shared?.schemas ?? this.#schemasOf(definition, source))
    if (isSame && isSameInDiscovery(known.definition, definition)) {
      this.#installed.set(stored.name, { ...known, definition, revision: stored.revision })
      return
    }
    const resources = this.#resourcesOf(definition, schemas)
    this.#replace(known, { definition, revision: stored.revision, source, schemas, resources })
    // A definition that was deleted and created again is another definition.
    if (known !== undefined && !isSame) this.#retire(known, known.definition.uid !== definition.uid)
  }

  /** The compiled form of the same definition in the server whose state this server starts from. */
  #sharedOf({ name, revision }: StoredObject): Pick<Installed, 'definition' | 'schemas'> | undefined {
    const found = this.#options.shared?.get(name)
    if (found?.revision !== revision) return undefined
    return { definition: found.definition, schemas: sharedSchemas(found.schemas, this.#options.rules) }
  }

  #schemasOf(definition: Definition, source: Source): VersionSchemas {
    return schemasOf(definition, (index) => schemaIn(source.stored.object(), index), this.#options)
  }

  /** The parts that the table of a fork reuses. */
  share(): SharedDefinitions {
    const entries = this.#installed.entries()
    return new Map(
      entries.map(([name, { definition, revision, schemas }]) => [name, { definition, revision, schemas }]),
    )
  }

  remove(name: string, revision: number): void {
    const known = this.#installed.get(name)
    if (known === undefined || known.revision > revision) return
    this.#replace(known, undefined)
    this.#retire(known, true)
  }

  /** Call this when objects of the kind are converted in another way. */
  reconvert({ group, kind }: Pick<GroupVersionKind, 'group' | 'kind'>): void {
    for (const known of this.#installed.values()) {
      const { definition, schemas } = known
      if (definition.group !== group || definition.names.kind !== kind) continue
      this.#replace(known, { ...known, resources: this.#resourcesOf(definition, schemas) })
      this.#retire(known, false)
    }
  }

  /** All groups in the order of discovery. Returns the same list as long as nothing changes. */
  groups(): readonly DiscoveryGroup[] {
    this.#all ??= this.#makeGroups()
    return this.#all
  }

  /** The established versions, with their OpenAPI documents. */
  published(): readonly { readonly gv: GroupVersion; readonly resources: readonly CustomOpenApiResource[] }[] {
    const found = new Map<string, { gv: GroupVersion; resources: CustomOpenApiResource[] }>()
    for (const { definition, source } of this.#established()) {
      const parsed = parsedAtFirst(source.stored)
      for (const version of definition.versions) {
        const gv = { group: definition.group, version: version.version }
        if (!version.served || this.#isBuiltIn(gv)) continue
        const entry = getOrInsert(found, `${gv.group}/${gv.version}`, () => ({ gv, resources: [] }))
        entry.resources.push(openApiResource(definition, version, parsed))
      }
    }
    return [...found.values()]
  }

  #resourcesOf(definition: Definition, schemas: VersionSchemas): readonly Resource[] {
    if (!definition.isServed) return []
    const indexes = indexesOf(definition)
    return definition.versions
      .filter((version) => version.served && !this.#isBuiltIn({ group: definition.group, version: version.version }))
      .map((version) => customResource(this.#options, { definition, schemas, indexes }, version))
  }

  /** Whether the group version is built in. Definitions cannot add resources to it. */
  #isBuiltIn({ group, version }: GroupVersion): boolean {
    const found = this.#builtInGroups.find((one) => one.group === group)
    return found?.versions.some((one) => one.version === version) === true
  }

  #replace(before: Installed | undefined, after: Installed | undefined): void {
    for (const resource of before?.resources ?? []) {
      this.#resources.delete(keyOf(resource))
      this.#kinds.delete(keyOfKind(resource))
    }
    for (const resource of after?.resources ?? []) {
      this.#resources.set(keyOf(resource), resource)
      this.#kinds.add(keyOfKind(resource))
    }
    if (after !== undefined) this.#installed.set(after.definition.name, after)
    else if (before !== undefined) this.#installed.delete(before.definition.name)
    for (const one of [before, after]) if (one !== undefined) this.#groups.delete(one.definition.group)
    this.#all = undefined
    this.#version++
    for (const notify of this.#listeners) notify()
  }

  onChange(notify: () => void): () => void {
    const listener = (): void => notify()
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Resolves at the next change, or after the given time. */
  async changed(milliseconds: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, milliseconds)
    const stop = this.onChange(resolve)
    await promise
    clearTimeout(timer)
    stop()
  }

  #retire({ resources }: Installed, isGone: boolean): void {
    const forms = resources.map(({ stored }) => stored)
    this.#options.onRetired(forms, isGone)
  }

  #established(): readonly Installed[] {
    return [...this.#installed.values()].filter(({ definition }) => definition.isEstablished)
  }

  #makeGroups(): readonly DiscoveryGroup[] {
    const byGroup = Map.groupBy(this.#established(), ({ definition }) => definition.group)
    const made = new Map<string, DiscoveryGroup>()
    for (const [group, installed] of byGroup) {
      const known = this.#groups.get(group) ?? this.#makeGroup(group, installed)
      if (known !== undefined) made.set(group, known)
    }
    this.#groups = made
    const discovered = this.#options.groups ?? this.#builtInGroups
    const builtIn = discovered.map((group) => made.get(group.group) ?? group)
    const names = new Set(discovered.map(({ group }) => group))
    const others = [...made.values()].filter(({ group }) => !names.has(group))
    return [...builtIn, ...others.sort((a, b) => (a.group < b.group ? -1 : 1))]
  }

  #makeGroup(group: string, installed: readonly Installed[]): DiscoveryGroup | undefined {
    const discovered = this.#options.groups ?? this.#builtInGroups
    const builtIn = discovered.find((one) => one.group === group)?.versions ?? []
    const served = installed.flatMap(({ definition }) =>
      definition.versions.filter((version) => version.served).map((version) => ({ definition, version })),
    )
    const byVersion = Map.groupBy(served, ({ version }) => version.version)
    for (const { version } of builtIn) byVersion.delete(version)
    const versions = [...byVersion.keys()].sort(compareVersions).map((version) => ({
      version,
      priority: { group: 1000, version: 100 },
      custom: true as const,
      resources: (byVersion.get(version) ?? []).map((one) => discoveryResource(one.definition, one.version)),
    }))
    return versions.length === 0 ? undefined : { group, versions: [...builtIn, ...versions] }
  }
}

function* namesIn(groups: readonly DiscoveryGroup[]): Generator<string> {
  for (const { group, versions } of groups) {
    for (const { resources } of versions) {
      for (const { plural } of resources) yield group === '' ? plural : `${plural}.${group}`
    }
  }
}

function keyOf({ group, version, resource }: GroupVersionResource): string {
  return `${group}/${version}/${resource}`
}

function keyOfKind({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}/${kind}`
}

/** Whether objects are read and written the same way. */
function isServedTheSame(a: Definition, b: Definition): boolean {
  return a.uid === b.uid && a.generation === b.generation && JSON.stringify(a.accepted) === JSON.stringify(b.accepted)
}

function isSameInDiscovery(a: Definition, b: Definition): boolean {
  return (
    a.isServed === b.isServed &&
    a.isEstablished === b.isEstablished &&
    a.isTerminating === b.isTerminating &&
    a.indexed === b.indexed &&
    a.storedVersions.join() === b.storedVersions.join()
  )
}

type DiscoveryResource = DiscoveryGroup['versions'][number]['resources'][number]

function discoveryResource(definition: Definition, version: DefinitionVersion): DiscoveryResource {
  const { group, accepted, names, namespaced, storageVersion } = definition
  const kind = accepted.kind || names.kind
  const gvk = { group, version: version.version, kind }
  const verbs = ['get', 'patch', 'update']
  const scale = { group: 'autoscaling', version: 'v1', kind: 'Scale' }
  return {
    ...gvk,
    plural: names.plural,
    singular: accepted.singular || names.singular,
    namespaced,
    shortNames: accepted.shortNames,
    categories: accepted.categories,
    verbs: discoveryVerbs(definition),
    storageVersionHash: hash('sha256', `${group}/${storageVersion}/${kind}`, 'buffer').toString('base64', 0, 8),
    subresources: [
      ...(version.hasStatus ? [{ ...gvk, name: 'status', verbs }] : []),
      ...(version.scale === undefined ? [] : [{ ...scale, name: 'scale', verbs }]),
    ],
  }
}

/** Each version needs the object, which is large. So it is parsed at the first call, and again only if memory was short meanwhile. */
function parsedAtFirst(stored: StoredObject): () => ApiObject {
  let known: WeakRef<ApiObject> | undefined
  return () => {
    const object = known?.deref() ?? stored.object()
    if (known?.deref() === undefined) known = new WeakRef(object)
    return object
  }
}

function openApiResource(
  definition: Definition,
  version: DefinitionVersion,
  parsed: () => ApiObject,
): CustomOpenApiResource {
  const { group, accepted, names, namespaced } = definition
  return {
    group,
    version: version.version,
    kind: accepted.kind || names.kind,
    listKind: accepted.listKind || names.listKind,
    plural: names.plural,
    namespaced,
    verbs: discoveryVerbs({ ...definition, isTerminating: false }),
    subresources: [
      ...(version.hasStatus ? (['status'] as const) : []),
      ...(version.scale === undefined ? [] : (['scale'] as const)),
    ],
    selectable: version.selectable,
    fingerprint: `${definition.uid} ${definition.generation} ${version.version} ${JSON.stringify(accepted)}`,
    get schema() {
      return schemaIn(parsed(), version.index)
    },
  }
}
