// The parts of the documents that custom resources make: their schemas are their authors', with what every object has beside it
// (P-364).
import { createHash } from 'node:crypto'
import { jsonText } from '../api/json-text.ts'
import type { GroupVersion, GroupVersionKind } from '../api/object.ts'
import { isList, isMap, type ValueMap } from '../api/value.ts'
import {
  rootPath,
  type OpenApiPart,
  type OpenApiResource,
  type OpenApiSubresource,
  type OpenApiVersion,
  type TypeSchemas,
} from './openapi-model.ts'
import { authorsSchema, withInner } from './openapi-custom-schema.ts'
import { META, PathWriter } from './openapi-paths.ts'
import { EMBEDDED_TYPE_META, LIST_META_TEXT, OBJECT_META_TEXT, TYPE_META } from './openapi-texts.ts'

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
  const schema = resource.schema === undefined ? undefined : authorsSchema(resource.schema, version)
  return {
    ...(schema === undefined ? { type: 'object' } : withMembers(schema, version, TYPE_META)),
    'x-kubernetes-group-version-kind': [kindOf(resource, resource.kind)],
    ...selectableFields(resource),
  }
}

/** With what every object has, whatever its author wrote down of it; and so all objects within it. */
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

/** Objects within objects say what they are, and have metadata; not where version 2 must not name members. */
function withEmbedded(schema: ValueMap, version: OpenApiVersion): ValueMap {
  return withInner(schema, (inner) => embeddedSchema(inner, version))
}

function embeddedSchema(schema: ValueMap, version: OpenApiVersion): ValueMap {
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true
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

/** Version 3 lets nothing stand beside a reference. */
function reference(name: string, version: OpenApiVersion, description?: string): ValueMap {
  if (version === 2) return { ...(description === undefined ? {} : { description }), $ref: `#/definitions/${name}` }
  const $ref = `#/components/schemas/${name}`
  return description === undefined ? { $ref } : { description, allOf: [{ $ref }] }
}
