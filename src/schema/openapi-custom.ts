// The OpenAPI parts of custom resources: the schemas of their definitions, and the members that every object has. In version 3, the schemas
// describe int-or-string values by `anyOf`. In version 2, they are relaxed, because clients of version 2 would refuse valid objects
// (P-364).
import { createHash } from 'node:crypto'
import { jsonText } from '../api/json-text.ts'
import type { GroupVersion, GroupVersionKind } from '../api/object.ts'
import { isList, isMap, own, type Value, type ValueMap } from '../api/value.ts'
import {
  rootPath,
  type OpenApiPart,
  type OpenApiResource,
  type OpenApiSubresource,
  type OpenApiVersion,
  type TypeSchemas,
} from './openapi-model.ts'
import { META, PathWriter } from './openapi-paths.ts'
import { EMBEDDED_TYPE_META, LIST_META_TEXT, OBJECT_META_TEXT, TYPE_META } from './openapi-texts.ts'

export interface CustomOpenApiResource extends GroupVersionKind {
  readonly plural: string
  readonly listKind: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  readonly subresources: readonly ('status' | 'scale')[]
  /** `openAPIV3Schema` of the version. Undefined: nothing is known about the objects. */
  readonly schema: ValueMap | undefined
  /** The fields for field selectors: `.spec.color`. */
  readonly selectable?: readonly string[]
  /** Changes if any other member here changes, so that the schema need not be compared. Absent: the schema is compared. */
  readonly fingerprint?: string
}

const SCALE = 'io.k8s.api.autoscaling.v1.Scale'

/** The part of a group-version of custom resources. `builtIn` has the built-in types to which their schemas refer. */
export function customOpenApiPart(
  gv: GroupVersion,
  resources: readonly CustomOpenApiResource[],
  builtIn: TypeSchemas,
): OpenApiPart {
  return {
    key: rootPath(gv).slice(1),
    fingerprint: createHash('sha256').update(resources.map(fingerprintOf).join('\n')).digest('hex'),
    paths: () => new PathWriter(gv).paths(resources.map(describe)),
    types: new CustomTypeSchemas(resources, builtIn),
    isSecured: false,
  }
}

function fingerprintOf(resource: CustomOpenApiResource): string {
  return resource.fingerprint ?? jsonText({ ...resource, schema: resource.schema ?? null })
}

/** `com.example.stable.v1.CronTab`. */
function documentName({ group, version }: GroupVersion, kind: string): string {
  return `${group.split('.').reverse().join('.')}.${version}.${kind}`
}

function describe(resource: CustomOpenApiResource): OpenApiResource {
  const { group, version, kind } = resource
  const type = documentName(resource, kind)
  const subresources = resource.subresources.map((name): OpenApiSubresource => {
    const gvk = name === 'scale' ? { group: 'autoscaling', version: 'v1', kind: 'Scale' } : { group, version, kind }
    return { ...gvk, name, verbs: ['get', 'patch', 'update'], type: name === 'scale' ? SCALE : type }
  })
  const listType = documentName(resource, resource.listKind)
  return { ...resource, type, listType, subresources, isCustom: true, deleteGivesObject: false }
}

class CustomTypeSchemas implements TypeSchemas {
  readonly #builtIn: TypeSchemas
  readonly #kinds: ReadonlyMap<string, CustomOpenApiResource>
  readonly #lists: ReadonlyMap<string, CustomOpenApiResource>

  constructor(resources: readonly CustomOpenApiResource[], builtIn: TypeSchemas) {
    this.#builtIn = builtIn
    this.#kinds = new Map(resources.map((one) => [documentName(one, one.kind), one]))
    this.#lists = new Map(resources.map((one) => [documentName(one, one.listKind), one]))
  }

  schema(name: string, version: OpenApiVersion): ValueMap | undefined {
    const kind = this.#kinds.get(name)
    if (kind !== undefined) return objectSchema(kind, version)
    const list = this.#lists.get(name)
    return list === undefined ? this.#builtIn.schema(name, version) : listSchema(list, version)
  }
}

function objectSchema(resource: CustomOpenApiResource, version: OpenApiVersion): ValueMap {
  const schema = resource.schema === undefined ? undefined : publishedSchema(resource.schema, version)
  return {
    ...(schema === undefined ? { type: 'object' } : withMembers(schema, version, TYPE_META)),
    'x-kubernetes-group-version-kind': [kindOf(resource, resource.kind)],
    ...selectableFields(resource),
  }
}

/** Adds the members that every object has, also to embedded objects. They replace members of the same names in the schema. */
function withMembers(schema: ValueMap, version: OpenApiVersion, typeMeta: ValueMap): ValueMap {
  const embedded = withEmbedded(schema, version)
  const members = isMap(embedded['properties']) ? embedded['properties'] : {}
  const metadata = reference(`${META}.ObjectMeta`, version, OBJECT_META_TEXT)
  return { ...embedded, properties: { ...members, ...typeMeta, metadata } }
}

function selectableFields({ selectable = [] }: CustomOpenApiResource): ValueMap {
  if (selectable.length === 0) return {}
  return { 'x-kubernetes-selectable-fields': selectable.map((path) => ({ fieldPath: path.replace(/^\./, '') })) }
}

/** Adds kind, apiVersion and metadata to embedded objects, except where version 2 must not name members. */
function withEmbedded(schema: ValueMap, version: OpenApiVersion): ValueMap {
  return withInner(schema, (inner) => embeddedSchema(inner, version))
}

function embeddedSchema(schema: ValueMap, version: OpenApiVersion): ValueMap {
  const isOpen = schema[PRESERVE] === true
  if (schema['x-kubernetes-embedded-resource'] !== true || (version === 2 && isOpen))
    return withEmbedded(schema, version)
  const required = isList(schema['required']) ? schema['required'] : []
  return {
    ...withMembers(schema, version, EMBEDDED_TYPE_META),
    required: [...required, ...['kind', 'apiVersion'].filter((name) => !required.includes(name))],
  }
}

function listSchema(resource: CustomOpenApiResource, version: OpenApiVersion): ValueMap {
  const { kind, listKind, plural } = resource
  const items = reference(documentName(resource, kind), version)
  return {
    description: `${listKind} is a list of ${kind}`,
    type: 'object',
    required: ['items'],
    properties: {
      ...TYPE_META,
      items: { description: `List of ${plural}.`, type: 'array', items },
      metadata: reference(`${META}.ListMeta`, version, LIST_META_TEXT),
    },
    'x-kubernetes-group-version-kind': [kindOf(resource, listKind)],
    ...selectableFields(resource),
  }
}

function kindOf({ group, version }: GroupVersion, kind: string): ValueMap {
  return { group, kind, version }
}

/** A reference to a type. In version 3, a reference must not have other members. */
function reference(name: string, version: OpenApiVersion, description?: string): ValueMap {
  if (version === 2) return { ...(description === undefined ? {} : { description }), $ref: `#/definitions/${name}` }
  const $ref = `#/components/schemas/${name}`
  return description === undefined ? { $ref } : { description, allOf: [{ $ref }] }
}

/** The schema in documents. Undefined in version 2 if unknown members are allowed: naming some members would forbid the others. */
function publishedSchema(schema: ValueMap, version: OpenApiVersion): ValueMap | undefined {
  if (version === 3) return eachSchema(schema, unfolded)
  return schema[PRESERVE] === true ? undefined : forVersion2(schema)
}

const PRESERVE = 'x-kubernetes-preserve-unknown-fields'

/** The schema after a change of the schema and of all schemas of its members and items. */
function eachSchema(schema: ValueMap, change: (schema: ValueMap) => ValueMap): ValueMap {
  const out: Record<string, Value> = { ...change(schema) }
  // False is the default of this keyword.
  if (out[PRESERVE] === false) delete out[PRESERVE]
  return withInner(out, (inner) => eachSchema(inner, change))
}

/** The schema after a change of the schemas of its members and items. */
function withInner(schema: ValueMap, change: (inner: ValueMap) => ValueMap): ValueMap {
  const out: Record<string, Value> = { ...schema }
  for (const field of ['items', 'additionalProperties']) {
    const inner = out[field]
    if (isMap(inner)) out[field] = change(inner)
  }
  const members = out['properties']
  if (!isMap(members)) return out
  const changed = Object.entries(members).map(([name, one]) => [name, isMap(one) ? change(one) : one])
  return { ...out, properties: Object.fromEntries(changed) as ValueMap }
}

const INT_OR_STRING: readonly ValueMap[] = [{ type: 'integer' }, { type: 'string' }]

/** Describes int-or-string values by `anyOf`, unless the schema does so already. */
function unfolded(schema: ValueMap): ValueMap {
  if (schema['x-kubernetes-int-or-string'] !== true) return schema
  const { anyOf, allOf } = schema
  const [first] = isList(allOf) ? allOf : []
  if (isIntOrString(anyOf) || (isMap(first) && isIntOrString(first['anyOf']))) return schema
  if (anyOf === undefined) return { ...schema, anyOf: INT_OR_STRING }
  return { ...schema, allOf: [{ anyOf: INT_OR_STRING }, ...(isList(allOf) ? allOf : [])] }
}

function isIntOrString(anyOf: Value | undefined): boolean {
  return (
    isList(anyOf) &&
    anyOf.length === INT_OR_STRING.length &&
    anyOf.every(
      (one, i) => isMap(one) && Object.keys(one).join() === 'type' && one['type'] === INT_OR_STRING[i]?.['type'],
    )
  )
}

/** Keywords that version 2 does not have. Defaults are left out because older clients apply them wrongly. */
const NOT_IN_VERSION_2: ReadonlySet<string> = new Set([
  'oneOf',
  'anyOf',
  'allOf',
  'not',
  'nullable',
  'default',
  '$schema',
  'id',
])

function forVersion2(schema: ValueMap): ValueMap {
  return eachSchema(schema, (one) => {
    const isNullable = one['nullable'] === true
    const isOpen = isNullable || one[PRESERVE] === true
    const kept: Record<string, Value> = Object.fromEntries(
      Object.entries(one).filter(
        ([key]) => !NOT_IN_VERSION_2.has(key) && !(isOpen && (key === 'items' || key === 'properties')),
      ),
    )
    const { type, items, ...untyped } = kept
    const isTyped = !isNullable && !(type === 'array' && items === undefined) && !(isOpen && type === 'object')
    const shown = isTyped ? kept : items === undefined ? untyped : { ...untyped, items }
    return withoutNullableRequired(shown)
  })
}

/** Nullable members are not required in version 2, which has no null. */
function withoutNullableRequired(schema: ValueMap): ValueMap {
  const { required, ...rest } = schema
  if (!isList(required)) return schema
  const members = isMap(schema['properties']) ? schema['properties'] : {}
  const values = schema['additionalProperties']
  const isNullable = (one: Value | undefined): boolean => isMap(one) && one['nullable'] === true
  const isLeft = (name: Value): boolean => typeof name === 'string' && !isNullable(own(members, name))
  const left = isNullable(values) ? [] : required.filter(isLeft)
  return left.length === 0 ? rest : { ...rest, required: left }
}
