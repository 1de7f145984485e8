// Defines resources in TypeScript. The input is a description with the schemas of the versions. The output is the CustomResourceDefinition,
// the static types and the conversion between versions.
import type { Value, ValueMap } from '../api/value.ts'
import { emitYaml } from '../codec/yaml-emit.ts'
import { Conversion } from './conversion.ts'
import { schemaAt } from './field-path.ts'
import type { Schema } from './infer.ts'
import { fromJsonSchema } from './json-schema.ts'
import type {
  Column,
  CustomResourceDefinition,
  DefinedResource,
  DefinitionVersion,
  ResourceOptions,
  Structural,
  VersionOptions,
  Versions,
} from './resource.ts'
import { checkLists, DefinitionError, present, type Problem, type Report, type StructuralSchema } from './structural.ts'
import { fromZod, isOptional, isZodSchema } from './zod-schema.ts'

export type { ConversionReview } from './conversion.ts'
export type { JsonSchema } from './json-schema.ts'
export type { Schema } from './infer.ts'
export type {
  Column,
  Conversions,
  CustomResourceDefinition,
  DefinedResource,
  InferInput,
  InferResource,
  InferSpec,
  InferStatus,
  ObjectMeta,
  OwnerReference,
  ResourceOptions,
  ResourceType,
  Scale,
  StatusCondition,
  VersionOptions,
  WebhookClientConfig,
} from './resource.ts'
export {
  DefinitionError,
  kubernetes,
  type KubernetesMeta,
  type Problem,
  type Rule,
  type StructuralSchema,
} from './structural.ts'

/**
 * Defines a custom resource by Zod 4 or JSON schemas. The compiler reports many schemas that are not structural. For the others, this
 * function throws a `DefinitionError` that names every place and its correction.
 */
export function defineResource<const Group extends string, const Kind extends string, const V extends Versions>(
  options: ResourceOptions<Group, Kind, V> & { readonly versions: Structural<V> },
): DefinedResource<Group, Kind, V> {
  const { group, kind, scope, plural = pluralOf(kind) } = options
  const names = Object.keys(options.versions)
  const problems: Problem[] = []
  const report: Report = (path, message) => void problems.push({ path, message })
  checkNames(options, RESOURCE, '', report)
  for (const name of names) checkNames(options.versions[name] ?? {}, VERSION, `versions.${name}.`, report)

  const versions = names.map((name) =>
    defineVersion(name, { storage: names.length === 1, ...options.versions[name]! }, report),
  )
  if (versions.filter(({ storage }) => storage).length !== 1) {
    report('versions', 'objects are stored as one of them: set storage: true on exactly one')
  }
  const conversion = new Conversion(
    group,
    new Map(versions.map(({ name, schema }) => [name, schema.openAPIV3Schema])),
    (options.convert ?? {}) as never,
  )
  conversion.check(report)
  if (problems.length > 0) throw new DefinitionError(`${kind}.${group}`, problems)
  const webhook =
    options.webhook ?? (conversion.hasFunctions ? { url: `${NO_FUNCTION}/${plural}.${group}` } : undefined)

  const definition: CustomResourceDefinition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, ...present({ labels: options.labels, annotations: options.annotations }) },
    spec: {
      group,
      scope,
      names: {
        plural,
        singular: kind.toLowerCase(),
        kind,
        listKind: `${kind}List`,
        ...present({ shortNames: options.shortNames, categories: options.categories }),
      },
      versions,
      ...(webhook === undefined
        ? {}
        : {
            conversion: {
              strategy: 'Webhook',
              webhook: { clientConfig: webhook, conversionReviewVersions: ['v1'] },
            },
          }),
    },
  }
  const types = names.map((version) => [version, { group, version, plural, kind, namespaced: scope === 'Namespaced' }])
  return {
    definition,
    yaml: () => emitYaml(definition as unknown as Value),
    versions: Object.fromEntries(types) as DefinedResource<Group, Kind, V>['versions'],
    convert: (object, to) => conversion.convert(object as unknown as ValueMap, to) as never,
    review: (review) => conversion.review(review),
  }
}

/**
 * A URL without a server. A server with the conversion functions does not call it. A server without them fails to convert. Otherwise it
 * would treat objects as equal in all versions, and lose fields that not all versions have.
 */
const NO_FUNCTION = 'https://no-conversion-function.invalid'

const RESOURCE = Object.freeze(
  'group kind plural scope shortNames categories labels annotations versions convert webhook'.split(' '),
)
const VERSION = Object.freeze(
  'spec status conditions description rules columns scale selectableFields served storage deprecated'.split(' '),
)

/**
 * The compiler does not see a misspelt option of a program in JavaScript. If the option `convert` is misspelt, conversion has no functions
 * and would lose fields.
 */
function checkNames(options: object, known: readonly string[], path: string, report: Report): void {
  for (const name of Object.keys(options))
    if (!known.includes(name)) report(`${path}${name}`, `is not an option: there are ${known.join(', ')}`)
}

function pluralOf(kind: string): string {
  const singular = kind.toLowerCase()
  if (/(s|x|z|ch|sh)$/.test(singular)) return `${singular}es`
  return /[^aeiou]y$/.test(singular) ? `${singular.slice(0, -1)}ies` : `${singular}s`
}

function defineVersion(name: string, options: VersionOptions, report: Report): DefinitionVersion {
  const { spec, deprecated = false, scale } = options
  const path = `versions.${name}`
  const status = statusOf(options, `${path}.status`, report)
  const schema: StructuralSchema = {
    type: 'object',
    ...present({ description: options.description, 'x-kubernetes-validations': options.rules }),
    properties: {
      spec: structural(spec, `${path}.spec`, report),
      ...present({ status }),
    },
    ...(isZodSchema(spec) && isOptional(spec) ? {} : { required: ['spec'] }),
  }
  const find = (jsonPath: string, place: string): StructuralSchema => {
    const found = schemaAt(schema, jsonPath)
    if (found === undefined) report(`${path}.${place}`, `the schema has no field ${jsonPath}`)
    return found ?? {}
  }
  for (const [place, jsonPath] of Object.entries(scale ?? {})) find(jsonPath as string, `scale.${place}`)
  for (const jsonPath of options.selectableFields ?? []) find(jsonPath, 'selectableFields')
  const columns = options.columns?.map((column) => typedColumn(column, find(column.jsonPath, `columns.${column.name}`)))
  const subresources = { ...(status === undefined ? {} : { status: {} }), ...present({ scale }) }
  return {
    name,
    served: options.served ?? true,
    storage: options.storage ?? false,
    ...(deprecated === false ? {} : { deprecated: true }),
    ...(typeof deprecated === 'string' ? { deprecationWarning: deprecated } : {}),
    schema: { openAPIV3Schema: schema },
    ...(Object.keys(subresources).length === 0 ? {} : { subresources }),
    ...present({
      additionalPrinterColumns: columns,
      selectableFields: options.selectableFields?.map((jsonPath) => ({ jsonPath })),
    }),
  }
}

/** The schema that controller-gen generates for the list of conditions in Go. */
const CONDITIONS: StructuralSchema = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      type: { type: 'string', pattern: '^([a-z0-9.-]+/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$', maxLength: 316 },
      status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
      reason: { type: 'string', pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$', minLength: 1, maxLength: 1024 },
      message: { type: 'string', maxLength: 32_768 },
      lastTransitionTime: { type: 'string', format: 'date-time' },
      observedGeneration: { type: 'integer', format: 'int64', minimum: 0 },
    },
    required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
  },
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
}

function statusOf({ status, conditions }: VersionOptions, path: string, report: Report): StructuralSchema | undefined {
  const made = status === undefined ? undefined : structural(status, path, report)
  if (conditions !== true) return made
  if (made?.properties?.['conditions'] !== undefined)
    report(path, 'has its own `conditions`: remove them, or remove the option `conditions: true`')
  return { type: 'object', ...made, properties: { ...made?.properties, conditions: CONDITIONS } }
}

function structural(schema: Schema, path: string, report: Report): StructuralSchema {
  const made = isZodSchema(schema) ? fromZod(schema, path, report) : fromJsonSchema(schema, path, report)
  const isMap = made.type === 'object' || made['x-kubernetes-preserve-unknown-fields'] === true
  if (!isMap) report(path, 'is an object in every resource: use z.object()')
  checkLists(made, path, report)
  return made
}

function typedColumn(column: Column, { type, format }: StructuralSchema): Column {
  const isTime = format === 'date-time' || /^\.metadata\.\w+Timestamp$/.test(column.jsonPath)
  const isScalar = type === 'integer' || type === 'number' || type === 'boolean'
  return { type: isTime ? 'date' : isScalar ? type : 'string', ...column }
}
