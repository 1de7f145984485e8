// The resources of a custom resource definition, one for each served version.
import type { IndexedPlace } from '../../api/indexed-place.ts'
import type { ApiLevel } from '../../api/level.ts'
import { type ApiObject, type GroupVersionKind, parseGroupVersion } from '../../api/object.ts'
import type { StoredObject } from '../../api/read.ts'
import { customSelectableFields } from '../../api/selector-fields.ts'
import type { ValueMap } from '../../api/value.ts'
import { customTable, DEFAULT_TABLE, type TableShape } from '../../codec/table.ts'
import { InvariantError } from '../../lib/errors.ts'
import { kindVersions } from '../../registry/kind-versions.ts'
import type { Resource, Subresource } from '../../registry/registry.ts'
import { CustomSchema, type RuleMeasures } from '../../schema/custom/custom.ts'
import type { KindSchema, ObjectShape, SchemaTable } from '../../schema/table.ts'
import type { EncodeObject } from '../resources.ts'
import { IDENTITY } from '../shared/conversion.ts'
import { type Definition, type DefinitionVersion, deprecationsOf } from './definition.ts'
import { type ConvertObjects, CustomForm, RENAME_VERSION } from './form.ts'
import { customScale } from './scale.ts'
import { customStrategy } from './strategy.ts'

export interface CustomParts {
  readonly schema: SchemaTable
  readonly encode: EncodeObject
  /** A converted object, which is served instead of the stored object. */
  readonly serve: (stored: StoredObject, object: ApiObject, resource: Resource['stored']) => StoredObject
  /** Converts between the versions of a definition. `RENAME_VERSION` if the versions differ only by name. */
  readonly converter: (definition: Definition) => ConvertObjects
  /** The measures of the validation rules. */
  readonly rules?: RuleMeasures
}

/** In the order of discovery (P-362). */
const VERBS: readonly string[] = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']
const MAKING_VERBS: ReadonlySet<string> = new Set(['patch', 'create', 'update'])
const SUBRESOURCE_VERBS: ReadonlySet<string> = new Set(['get', 'patch', 'update'])

/** The verbs in discovery. While the definition terminates, nothing can be created or changed. */
export function discoveryVerbs({ isTerminating }: Definition): readonly string[] {
  return isTerminating ? VERBS.filter((verb) => !MAKING_VERBS.has(verb)) : VERBS
}

/** The schemas of all versions of a definition, served or not. They are compiled at the first use, and kept if only the status changes. */
export type VersionSchemas = ReadonlyMap<string, CustomSchema>

export function schemasOf(
  definition: Definition,
  source: (index: number) => ValueMap | undefined,
  { schema, rules }: { readonly schema: SchemaTable; readonly rules?: RuleMeasures },
): VersionSchemas {
  const metadata = metadataShape(schema)
  return new Map(
    definition.versions.map(({ version, index }) => [version, new CustomSchema(() => source(index), metadata, rules)]),
  )
}

/** The same schemas, which are compiled once for several servers. */
export function sharedSchemas(schemas: VersionSchemas, rules: RuleMeasures | undefined): VersionSchemas {
  return new Map(schemas.entries().map(([version, schema]) => [version, schema.sharedWith(rules)]))
}

function metadataShape(schema: SchemaTable): ObjectShape {
  const shape = schema.shape('meta_v1.ObjectMeta')
  if (shape === undefined) throw new InvariantError('the schema has no ObjectMeta')
  return shape
}

export function customResource(
  parts: CustomParts,
  kind: {
    readonly definition: Definition
    readonly schemas: VersionSchemas
    readonly indexes?: readonly IndexedPlace[]
  },
  version: DefinitionVersion,
): Resource {
  const { definition, schemas, indexes = [] } = kind
  const { group, namespaced, accepted, names } = definition
  const gvk: GroupVersionKind = { group, version: version.version, kind: accepted.kind || names.kind }
  const schema = schemas.get(version.version)
  if (schema === undefined) throw new InvariantError(`no schema was made for ${version.version} of ${definition.name}`)
  const kindSchema: KindSchema = {
    ...gvk,
    isList: false,
    hasProtobuf: false,
    custom: true,
    get shape() {
      return schema.shape
    },
  }
  const convert = parts.converter(definition)
  const selectable = customSelectableFields({ namespaced, paths: version.selectable })
  const stored: Resource['stored'] = {
    group,
    resource: names.plural,
    storagePrefix: `${group}/${names.plural}`,
    namespaced,
    selectableFields: selectable.own,
    indexes,
    encode: (object) => parts.encode(object, kindSchema),
    form: new CustomForm({
      group,
      version: version.version,
      storageVersion: definition.storageVersion,
      schema: (name) => schemas.get(name),
      convert,
      isLocal: convert === RENAME_VERSION,
      isStoredAsServed: () => isStoredAsServed(definition, version, schema),
      hasDefaults: () => [...schemas.values()].some(({ node }) => node.hasDefaults),
      serve: (object, shown) => parts.serve(object, shown, stored),
    }),
  }
  let columns: TableShape | undefined
  return {
    ...gvk,
    resource: names.plural,
    singular: accepted.singular || names.singular,
    namespaced,
    schema: kindSchema,
    isCustom: true,
    verbs: new Set(VERBS),
    subresources: subresourcesOf(parts.schema, gvk, version),
    deprecations: deprecationsOf(definition, version),
    storedKind: gvk,
    stored,
    selectable,
    conversion: IDENTITY,
    withDefaults: (object) => schema.withDefaults(object),
    decode: (source) => schema.decode(source),
    toCanonical: (object) => schema.canonical(object),
    versions: versionsOf(group, schemas, parts.schema.level, convert === RENAME_VERSION ? undefined : convert),
    get columns() {
      columns ??= customTable(version.columns) ?? DEFAULT_TABLE
      return columns
    },
    strategy: customStrategy({ definition, version, schema, level: parts.schema.level }),
    custom: {
      listKind: accepted.listKind || names.listKind,
      isStorageVersion: version.version === definition.storageVersion,
      convert,
    },
  }
}

/**
 * Whether stored objects can be served as they are. A definition that never changed has stored every object under its one schema. Objects
 * are stored without their defaults in two cases, and get them when they are read: an object written in another version (P-367), and the
 * status of a new object if its schema has a default for the whole status.
 */
function isStoredAsServed(definition: Definition, version: DefinitionVersion, schema: CustomSchema): boolean {
  const { generation, storageVersion, storedVersions, versions } = definition
  if (generation !== 1 || version.version !== storageVersion || storedVersions.length > 1) return false
  const hasOtherWriters = versions.some((other) => other.served && other.version !== storageVersion)
  if (hasOtherWriters && schema.node.hasDefaults) return false
  return !version.hasStatus || schema.node.properties?.get('status')?.default === undefined
}

function subresourcesOf(
  schemas: SchemaTable,
  gvk: GroupVersionKind,
  { hasStatus, scale }: DefinitionVersion,
): ReadonlyMap<string, Subresource> {
  const found = new Map<string, Subresource>()
  if (hasStatus) found.set('status', { kind: gvk, verbs: SUBRESOURCE_VERBS })
  if (scale !== undefined) {
    const view = customScale(schemas, gvk, scale)
    found.set('scale', { kind: view, verbs: SUBRESOURCE_VERBS, view })
  }
  return found
}

/** Managed fields may name any version of the definition. */
function versionsOf(
  group: string,
  schemas: VersionSchemas,
  level: ApiLevel,
  convert: ConvertObjects | undefined,
): Resource['versions'] {
  const schemaOf = (apiVersion: string): CustomSchema | undefined => {
    const gv = parseGroupVersion(apiVersion)
    return gv?.group === group ? schemas.get(gv.version) : undefined
  }
  return kindVersions(
    {
      shape: (apiVersion) => schemaOf(apiVersion)?.shape,
      convert: (object, apiVersion) => {
        const renamed = { ...object, apiVersion }
        return schemaOf(apiVersion)?.known(renamed) ?? renamed
      },
      ...(convert !== undefined && {
        convertElsewhere: async (object, apiVersion, signal) =>
          (await convert([object as ApiObject], apiVersion, signal))[0] ?? object,
      }),
    },
    level,
  )
}
