// The parts of the documents that custom resources make: their schemas are their authors', dressed with what every object has
// (P-364). Version 2 says less than a definition may: what it has no words for is left out, never said wrongly.
import { createHash } from 'node:crypto'
import { jsonText } from '../api/json-text.ts'
import type { GroupVersion, GroupVersionKind } from '../api/object.ts'
import { isList, isMap, type Value, type ValueMap } from '../api/value.ts'
import {
  rootPath,
  type OpenApiPart,
  type OpenApiResource,
  type OpenApiSubresource,
  type OpenApiVersion,
  type TypeSchemas,
} from './openapi-model.ts'
import { PathWriter } from './openapi-paths.ts'

export interface CustomOpenApiResource extends GroupVersionKind {
  readonly plural: string
  readonly listKind: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  readonly subresources: readonly ('status' | 'scale')[]
  /** `openAPIV3Schema` of the version; undefined where nothing is known of the objects. */
  readonly schema: ValueMap | undefined
  /** `.spec.color`: the fields that lists can be asked by. */
  readonly selectable?: readonly string[]
  /** Changes whenever anything else here does, so that the schema need not be looked at to know; absent: it is looked at. */
  readonly fingerprint?: string
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1'
const SCALE = 'io.k8s.api.autoscaling.v1.Scale'

/** The part of a group-version of custom resources; `builtIn` knows the types that they refer to. */
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
  const { group, version, kind, plural, namespaced, verbs } = resource
  const type = documentName(resource, kind)
  const subresources = resource.subresources.map((name): OpenApiSubresource => {
    const gvk = name === 'scale' ? { group: 'autoscaling', version: 'v1', kind: 'Scale' } : { group, version, kind }
    return { ...gvk, name, verbs: ['get', 'patch', 'update'], type: name === 'scale' ? SCALE : type }
  })
  return {
    group,
    version,
    kind,
    plural,
    namespaced,
    verbs,
    type,
    listType: documentName(resource, resource.listKind),
    subresources,
    isCustom: true,
    deleteGivesObject: false,
  }
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
  const own = resource.schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  const dressed = withEmbedded(own, version)
  const shown = version === 2 ? forVersion2(dressed) : dressed
  const members = isMap(shown['properties']) ? shown['properties'] : {}
  return {
    ...shown,
    properties: { ...members, ...TYPE_META, metadata: reference(`${META}.ObjectMeta`, version) },
    'x-kubernetes-group-version-kind': [kindOf(resource, resource.kind)],
    ...selectableFields(resource),
  }
}

function selectableFields({ selectable = [] }: CustomOpenApiResource): ValueMap {
  if (selectable.length === 0) return {}
  return { 'x-kubernetes-selectable-fields': selectable.map((path) => ({ fieldPath: path.replace(/^\./, '') })) }
}

/** Objects within objects say what they are, and have metadata, whatever their author wrote down. */
function withEmbedded(schema: ValueMap, version: OpenApiVersion): ValueMap {
  const inner = (value: Value | undefined): Value | undefined => (isMap(value) ? withEmbedded(value, version) : value)
  const out: Record<string, Value> = { ...schema }
  for (const field of ['items', 'additionalProperties']) {
    const value = inner(schema[field])
    if (value !== undefined) out[field] = value
  }
  const members = isMap(schema['properties']) ? schema['properties'] : {}
  const properties = Object.fromEntries(Object.entries(members).map(([name, value]) => [name, inner(value) ?? value]))
  if (schema['x-kubernetes-embedded-resource'] !== true) {
    return schema['properties'] === undefined ? out : { ...out, properties }
  }
  const required = isList(schema['required']) ? schema['required'] : []
  return {
    ...out,
    properties: { ...properties, ...TYPE_META, metadata: reference(`${META}.ObjectMeta`, version) },
    required: [...required, ...['kind', 'apiVersion'].filter((name) => !required.includes(name))],
  }
}

function listSchema(resource: CustomOpenApiResource, version: OpenApiVersion): ValueMap {
  return {
    description: `A list of ${resource.kind}.`,
    type: 'object',
    required: ['items'],
    properties: {
      ...TYPE_META,
      items: {
        description: 'The objects of the list.',
        type: 'array',
        items: reference(documentName(resource, resource.kind), version),
      },
      metadata: reference(`${META}.ListMeta`, version),
    },
    'x-kubernetes-group-version-kind': [kindOf(resource, resource.listKind)],
    ...selectableFields(resource),
  }
}

const TYPE_META: ValueMap = {
  apiVersion: { description: 'The group and version of the schema that this object follows.', type: 'string' },
  kind: { description: 'The kind of this object.', type: 'string' },
}

function kindOf({ group, version }: GroupVersion, kind: string): ValueMap {
  return { group, kind, version }
}

function reference(name: string, version: OpenApiVersion): ValueMap {
  return { $ref: `${version === 2 ? '#/definitions/' : '#/components/schemas/'}${name}` }
}

/** What version 2 cannot say, and what its clients would hold against objects that are right. */
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
  // A null, or members that the schema does not name, must not look wrong: then nothing is said of what is inside.
  const isOpen = schema['nullable'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true
  const isIntOrString = schema['x-kubernetes-int-or-string'] === true
  const kept = Object.entries(schema).filter(
    ([key]) =>
      !NOT_IN_VERSION_2.has(key) &&
      !(isOpen && ['items', 'properties', 'additionalProperties', 'required'].includes(key)) &&
      !(key === 'type' && (isIntOrString || schema['nullable'] === true)),
  )
  const shown = Object.fromEntries(kept.map(([key, value]) => [key, memberForVersion2(key, value)]))
  return isIntOrString ? { ...shown, type: 'string', format: 'int-or-string' } : shown
}

function memberForVersion2(key: string, value: Value): Value {
  if (key === 'items' || key === 'additionalProperties') return isMap(value) ? forVersion2(value) : value
  if (key !== 'properties' || !isMap(value) || isList(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, isMap(one) ? forVersion2(one) : one]))
}
