// The structural schema of a definition, and the errors for schemas that are not structural.
import type { Value } from '../api/value.ts'

/** A CEL rule, as `x-kubernetes-validations` has it. */
export interface Rule {
  /** The expression. `self` is the value, and `oldSelf` is the value before an update. */
  readonly rule: string
  /** The message if the rule is false. */
  readonly message?: string
  /** A CEL expression that makes the message. */
  readonly messageExpression?: string
  readonly reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate'
  /** The field that the error names, relative to the place of the rule: `.spec.replicas`. */
  readonly fieldPath?: string
  /** A rule with `oldSelf` runs on creation too. `oldSelf` is an optional value then. */
  readonly optionalOldSelf?: boolean
}

/** A schema in the form that the API server accepts: `JSONSchemaProps` without the members that structural schemas may not have. */
export interface StructuralSchema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'
  readonly title?: string
  readonly description?: string
  readonly format?: string
  readonly nullable?: boolean
  readonly default?: Value
  readonly example?: Value
  readonly enum?: readonly Value[]
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: boolean
  readonly exclusiveMaximum?: boolean
  readonly multipleOf?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, StructuralSchema>>
  readonly additionalProperties?: StructuralSchema
  readonly items?: StructuralSchema
  readonly allOf?: readonly StructuralSchema[]
  readonly anyOf?: readonly StructuralSchema[]
  readonly oneOf?: readonly StructuralSchema[]
  readonly not?: StructuralSchema
  readonly 'x-kubernetes-validations'?: readonly Rule[]
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map'
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular'
  readonly 'x-kubernetes-int-or-string'?: true
  readonly 'x-kubernetes-preserve-unknown-fields'?: true
  readonly 'x-kubernetes-embedded-resource'?: true
}

/** The Kubernetes options of a field, for `.meta()` of a Zod schema or spread into a JSON schema. */
export interface KubernetesMeta {
  /** Apply replaces an `atomic` list as a whole. It merges the scalars of a `set`, and the items of a `map` by their `listMapKeys`. */
  readonly listType?: 'atomic' | 'set' | 'map'
  readonly listMapKeys?: readonly string[]
  /** `atomic`: apply replaces the object as a whole. */
  readonly mapType?: 'atomic' | 'granular'
  /** CEL rules for the value. */
  readonly rules?: readonly Rule[]
  /** Fields that the schema does not name are kept and not pruned. */
  readonly preserveUnknownFields?: true
  /** The value is an object with `apiVersion`, `kind` and `metadata` of its own. */
  readonly embeddedResource?: true
}

export const KUBERNETES_KEYWORDS: ReadonlySet<string> = new Set([
  'x-kubernetes-validations',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-int-or-string',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
])

type KubernetesKeywords = Pick<StructuralSchema, Extract<keyof StructuralSchema, `x-${string}`>>

/**
 * The `x-kubernetes-…` keywords: `z.array(port).meta(kubernetes({ listType: 'map', listMapKeys: ['name'] }))`. If a schema has several
 * calls of `.meta()`, the last call counts.
 */
export function kubernetes(meta: KubernetesMeta): KubernetesKeywords {
  const { listType, listMapKeys, mapType, rules, preserveUnknownFields, embeddedResource } = meta
  return present({
    'x-kubernetes-list-type': listType,
    'x-kubernetes-list-map-keys': listMapKeys,
    'x-kubernetes-map-type': mapType,
    'x-kubernetes-validations': rules,
    'x-kubernetes-preserve-unknown-fields': preserveUnknownFields,
    'x-kubernetes-embedded-resource': embeddedResource,
  })
}

/** The record without its undefined members. */
export function present<T extends object>(record: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as never
}

/** A fault of a definition. */
export interface Problem {
  /** The place of the fault: `versions.v1.spec.ports[].name`. */
  readonly path: string
  /** The unsupported schema, and its replacement. */
  readonly message: string
}

/** The API server would refuse the definition, or understand it in another way. The error has all faults of the definition. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError'
  readonly problems: readonly Problem[]

  constructor(what: string, problems: readonly Problem[]) {
    super(`${what} cannot be defined\n${problems.map(({ path, message }) => `  ${path}: ${message}`).join('\n')}`)
    this.problems = problems
  }
}

/** Records a problem at a path. */
export type Report = (path: string, message: string) => void

/** Reports lists whose items cannot be told apart by their declared keys. */
export function checkLists(schema: StructuralSchema, path: string, report: Report): void {
  const { properties = {}, additionalProperties, items } = schema
  checkList(schema, path, report)
  for (const [name, field] of Object.entries(properties)) checkLists(field, `${path}.${name}`, report)
  if (additionalProperties !== undefined) checkLists(additionalProperties, `${path}{}`, report)
  if (items !== undefined) checkLists(items, `${path}[]`, report)
}

function checkList(schema: StructuralSchema, path: string, report: Report): void {
  const { 'x-kubernetes-list-type': listType, 'x-kubernetes-list-map-keys': keys = [], items } = schema
  if (listType !== undefined && schema.type !== 'array') report(path, 'has a list type and is not a list')
  if ((listType === 'map') !== keys.length > 0) {
    report(path, 'list type map and list map keys come together: { listType: "map", listMapKeys: ["name"] }')
  }
  if (listType === 'set' && items?.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic') {
    report(path, 'a set has items that are one value each: use list type map, or map type atomic for its items')
  }
  for (const key of listType === 'map' ? keys : []) {
    const field = items?.properties?.[key]
    const isThere = items?.required?.includes(key) === true || field?.default !== undefined
    if (field === undefined) report(path, `its items have no field "${key}", which is one of its list map keys`)
    else if (!isThere) report(`${path}[].${key}`, 'is a list map key, so make it required or give it a default')
  }
}
