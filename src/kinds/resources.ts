// The built-in resources, from the schema and the records of the kinds.
import { byLevel } from '../api/level.ts'
import {
  type ApiObject,
  formatGroupVersion,
  type GroupVersionKind,
  type GroupVersionResource,
  parseGroupVersion,
} from '../api/object.ts'
import { selectableFields } from '../api/selector-fields.ts'
import { ApiError } from '../api/status.ts'
import { own, type ValueMap } from '../api/value.ts'
import { DEFAULT_TABLE } from '../codec/table.ts'
import { kindVersions } from '../registry/kind-versions.ts'
import type { Action, Conversion, Resource, ResourceTable, Subresource } from '../registry/registry.ts'
import {
  allBuiltInGroups,
  type BuiltInGroup,
  type BuiltInResource,
  type BuiltInVersion,
} from '../schema/built-in-resources.ts'
import { decodeChanged, type Decoded, decodeObject } from '../schema/decode.ts'
import { applyDefaults } from '../schema/defaults/defaults.ts'
import type { SourceValue } from '../schema/exact-value.ts'
import { knownVersionsOf } from '../schema/known-versions.ts'
import { inOrder } from '../schema/member-order.ts'
import type { KindSchema, ObjectShape, SchemaTable } from '../schema/table.ts'
import { METADATA_RULES } from '../schema/validation/validation.ts'
import type { Kind, KindOf, StoredAs } from './kind.ts'
import type { KindNeeds } from './needs.ts'
import { IDENTITY, renaming } from './shared/conversion.ts'
import { scaleView } from './shared/scale.ts'
import { strategyOf, type StrategyParts } from './strategy.ts'

type Stored = Resource['stored']

/** Makes the functions that encode and parse stored objects from the codec's default encoder. */
export type StoredTexts = (encode: NonNullable<Stored['encode']>) => Pick<Stored, 'encode' | 'parse'>

/** Encodes an object as canonical JSON. The codec's encoder is passed in, because this room knows no encodings. */
export type EncodeObject = (object: ApiObject, kind: KindSchema) => string

interface ResourceSources {
  readonly schema: SchemaTable
  readonly encode: EncodeObject
  readonly texts: StoredTexts
  readonly kindOf: KindOf
  readonly groups: readonly BuiltInGroup[]
  readonly needs: KindNeeds
  readonly actions: readonly Action[]
  /** Whether containers may be privileged. */
  readonly allowPrivileged: boolean
  /** The resources of another table with the same schema and encodings. */
  readonly shared: SharedResources | undefined
}

/** Resources that need nothing of their server, by group, version and name. Several servers can share them. */
export interface SharedResources {
  readonly allowPrivileged: boolean
  readonly byPlace: ReadonlyMap<string, Resource>
}

export interface BuiltInTable extends ResourceTable {
  readonly groups: readonly BuiltInGroup[]
  readonly shared: SharedResources
}

export function resourceTable(sources: ResourceSources): BuiltInTable {
  const { allowPrivileged } = sources
  const known = sources.shared?.allowPrivileged === allowPrivileged ? sources.shared.byPlace : undefined
  const shared = new Map<string, Resource>()
  const resources = new Map<string, Resource>()
  const declared = new Set<string>()
  const actions = new Map(sources.actions.map((action) => [placeOf(action.at), action]))
  for (const row of sources.groups.flatMap(({ versions }) => versions.flatMap(({ resources: rows }) => rows))) {
    const key = keyOf({ ...row, resource: row.plural })
    declared.add(key)
    const resource = known?.get(key) ?? resourceOf(sources, row)
    if (resource === undefined) continue
    resources.set(key, resource)
    if (typeof sources.kindOf(row).strategy !== 'function') shared.set(key, resource)
  }
  return {
    groups: sources.groups,
    find: (resource) => resources.get(keyOf(resource)),
    all: () => resources.values(),
    findAction: (place) => actions.get(placeOf(place)),
    isDeclared: (resource) => declared.has(keyOf(resource)),
    knowsKind: (kind) => sources.schema.kind(kind) !== undefined || isKindOfAnotherVersion(sources.schema, kind),
    // Built-in resources never change.
    onChange: () => () => {},
    shared: { allowPrivileged, byPlace: shared },
  }
}

/** Whether the version is known and another version of the group has the kind. */
function isKindOfAnotherVersion(schema: SchemaTable, { group, version, kind }: GroupVersionKind): boolean {
  const versions = knownVersionsOf(group, schema.level)
  return (
    versions.includes(version) && versions.some((other) => schema.kind({ group, version: other, kind }) !== undefined)
  )
}

function keyOf({ group, version, resource }: GroupVersionResource): string {
  return `${group}/${version}/${resource}`
}

function placeOf(place: GroupVersionResource & { readonly subresource: string }): string {
  return `${keyOf(place)}/${place.subresource}`
}

/** Undefined: objects of the kind cannot be read, such as reviews and bindings. */
function resourceOf(sources: ResourceSources, row: BuiltInResource): Resource | undefined {
  const { schema, encode, texts, kindOf, needs, allowPrivileged } = sources
  const kindSchema = schema.kind(row)
  if (kindSchema === undefined || !row.verbs.includes('get')) return undefined
  const kind = kindOf(row)
  const form = storedForm(sources, row)
  const storedKind = form.kind
  const storedSchema = schema.kind(storedKind) ?? kindSchema
  const { validation: rules = METADATA_RULES, strategy = {} } = kind
  const { version, namespaced } = row
  const selectable = selectableFields(row, schema.level)
  const held: StrategyParts = { rules, version, namespaced, allowPrivileged, level: schema.level }
  return {
    group: row.group,
    version: row.version,
    resource: row.plural,
    kind: row.kind,
    singular: row.singular,
    namespaced: row.namespaced,
    schema: kindSchema,
    isCustom: false,
    deprecations: row.deprecation === undefined ? (kind.deprecations ?? []) : [row.deprecation],
    verbs: new Set(row.verbs),
    subresources: new Map(row.subresources.map((sub) => [sub.name, subresourceOf(schema, { row, kind }, sub)])),
    storedKind,
    stored: {
      group: row.group,
      resource: row.plural,
      storagePrefix: kind.storagePrefix ?? row.plural,
      namespaced: row.namespaced,
      selectableFields: selectable.own,
      ...texts((object) => encode(object, storedSchema)),
    },
    conversion: conversionOf(row, form, storedSchema),
    withDefaults: (object, context) => {
      if (form.hasStoredDefaults !== true) return applyDefaults(kind.defaults, object, context)
      return form.conversion.fromStored(applyDefaults(kind.defaults, form.conversion.toStored(object), context))
    },
    decode: (source, known) => decoded(source, kindSchema.shape, known),
    toCanonical: (object, known) =>
      inOrder(
        decoded(object, storedSchema.shape, known?.object).value,
        storedSchema.shape,
        known?.isInOrder === true ? known.object : undefined,
      ) as ApiObject,
    versions: versionsOf(sources, row),
    columns: kind.columns ?? DEFAULT_TABLE,
    selectable,
    ruleCosts: kind.ruleCosts,
    strategy: strategyOf(typeof strategy === 'function' ? strategy(needs) : strategy, held),
  }
}

function decoded(source: SourceValue, shape: ObjectShape, known: ValueMap | undefined): Decoded {
  return known === undefined ? decodeObject(source, shape) : decodeChanged(source, shape, known)
}

type FormSources = Pick<ResourceSources, 'schema' | 'kindOf'>

/**
 * The stored form of a version. If the record of the kind has none, the stored form is the version that the reference stores. Then versions
 * differ only by name. The name is set in both directions, because another level may have stored another version.
 */
function storedForm({ schema, kindOf }: FormSources, gvk: GroupVersionKind): StoredAs {
  const said = kindOf(gvk).storedAs?.[gvk.version]
  if (said !== undefined) return said
  const { group, version, kind } = gvk
  const own = { group, version, kind }
  const row = rowsAt(schema.level).get(formatKind(gvk))
  const stored = { ...own, ...row?.resource.storageVersion }
  const isThere = schema.kind(stored) !== undefined
  if (row === undefined || (row.offByDefault !== true && (!isThere || stored.version === version))) {
    return { kind: own, conversion: IDENTITY }
  }
  return { kind: isThere ? stored : own, conversion: renaming(gvk, isThere ? stored : own) }
}

interface KnownRow extends Pick<BuiltInVersion, 'offByDefault'> {
  readonly resource: BuiltInResource
}

/** The resources of a level by their kinds, including resources that are off by default. */
const rowsAt = byLevel(
  (level): ReadonlyMap<string, KnownRow> =>
    new Map(
      allBuiltInGroups(level).flatMap(({ versions }) =>
        versions.flatMap((version) =>
          version.resources.map((resource) => [formatKind(resource), { ...version, resource }] as const),
        ),
      ),
    ),
)

function formatKind(gvk: GroupVersionKind): string {
  return `${formatGroupVersion(gvk)}/${gvk.kind}`
}

function conversionOf(row: GroupVersionKind, form: StoredAs, storedSchema: KindSchema): Conversion {
  const { conversion, mayBeMalformed } = form
  if (mayBeMalformed !== true) return conversion
  return {
    ...conversion,
    toStored: (object) => {
      try {
        const stored = conversion.toStored(object)
        decodeObject(stored, storedSchema.shape)
        return stored
      } catch (error) {
        const subject = `${row.kind} in version ${JSON.stringify(row.version)}`
        throw new ApiError('BadRequest', `${subject} cannot be handled as a ${row.kind}: ${(error as Error).message}`)
      }
    },
  }
}

function subresourceOf(
  schema: SchemaTable,
  { row, kind }: { readonly row: BuiltInResource; readonly kind: Kind },
  sub: BuiltInResource['subresources'][number],
): Subresource {
  const served = { kind: sub, verbs: new Set(sub.verbs) }
  const isScale = sub.name === 'scale' && kind.scale !== undefined
  return isScale ? { ...served, view: scaleView(schema, row, kind.scale) } : served
}

/** Managed fields may be of any version of the kind, and are compared in that version. */
function versionsOf(sources: FormSources, served: GroupVersionKind): Resource['versions'] {
  const { schema } = sources
  const servedVersion = formatGroupVersion(served)
  const servedShape = schema.kind(served)?.shape
  const conversionFrom = (apiVersion: unknown): Conversion => {
    const gv = typeof apiVersion === 'string' ? parseGroupVersion(apiVersion) : undefined
    const { group, version } = gv ?? served
    return storedForm(sources, { group, version, kind: served.kind }).conversion
  }
  return kindVersions(
    {
      shape: (apiVersion) => {
        if (apiVersion === servedVersion) return servedShape
        const gv = parseGroupVersion(apiVersion)
        return gv === undefined ? undefined : schema.kind({ ...gv, kind: served.kind })?.shape
      },
      isGivenUp: (apiVersion) => parseGroupVersion(apiVersion) !== undefined,
      convert: (object: ValueMap, apiVersion: string): ValueMap => {
        const stored = conversionFrom(own(object, 'apiVersion')).toStored(object as ApiObject)
        const gv = parseGroupVersion(apiVersion)
        if (gv === undefined || formatGroupVersion(gv) === stored.apiVersion) return stored
        return conversionFrom(apiVersion).fromStored(stored)
      },
    },
    schema.level,
  )
}
