// A compiled structural schema: one record for each node, for pruning, defaulting and validation. Definitions were validated when they
// were written, so malformed parts are ignored here.
import { asMap, mapsOnly, numberOrAbsent, textOrEmpty, textsOnly } from '../../api/members.ts'
import { isList, isMap, own, type Value, type ValueMap } from '../../api/value.ts'
import { isRecognizedFormat } from './formats.ts'
import { type RuleText, ruleTextOf } from './rule.ts'

type NodeType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | ''

/** The restrictions on a value. Schemas under `allOf`, `anyOf`, `oneOf` and `not` have only restrictions. */
export interface Restrictions {
  readonly format: string
  readonly minimum: number | undefined
  readonly exclusiveMinimum: boolean
  readonly maximum: number | undefined
  readonly exclusiveMaximum: boolean
  readonly multipleOf: number | undefined
  readonly minLength: number | undefined
  readonly maxLength: number | undefined
  readonly pattern: string
  readonly minItems: number | undefined
  readonly maxItems: number | undefined
  readonly minProperties: number | undefined
  readonly maxProperties: number | undefined
  readonly enum: readonly Value[] | undefined
  readonly required: readonly string[]
  readonly allOf: readonly Node[]
  readonly anyOf: readonly Node[]
  readonly oneOf: readonly Node[]
  readonly not: Node | undefined
}

export interface Node {
  readonly type: NodeType
  readonly nullable: boolean
  readonly intOrString: boolean
  readonly preserveUnknown: boolean
  /** An object with a kind of its own: the root, or an embedded object. */
  readonly resource: boolean
  /** Undefined: the schema does not describe named members. An empty map is not the same. */
  readonly properties: ReadonlyMap<string, Node> | undefined
  /** The schema of members that `properties` does not name. `any`: these members may have any content. */
  readonly additional: Node | 'any' | undefined
  readonly items: Node | undefined
  readonly default: Value | undefined
  readonly listType: 'atomic' | 'set' | 'map'
  readonly mapKeys: readonly string[]
  readonly mapType: 'granular' | 'atomic'
  readonly rules: readonly RuleText[]
  /** The original schema, for the types of rules. Undefined: the node has no rules. */
  readonly ruleSchema: ValueMap | undefined
  readonly limits: Restrictions
  /** Whether there is a default at this node or below. */
  readonly hasDefaults: boolean
  readonly hasRules: boolean
  /** Whether there is a list of type set or map at this node or below. */
  readonly hasKeyedLists: boolean
  /** Whether there is an embedded object at this node or below, except the root. */
  readonly hasEmbedded: boolean
}

/** The node of a schema. `root`: the schema is that of a whole kind. */
export function compileNode(schema: ValueMap, place: 'root' | 'inner' = 'inner'): Node {
  const properties = compileProperties(schema)
  const additional = compileAdditional(own(schema, 'additionalProperties'))
  const items = compileInner(own(schema, 'items'))
  const inner = [
    ...(properties?.values() ?? []),
    ...(additional === undefined || additional === 'any' ? [] : [additional]),
  ]
  if (items !== undefined) inner.push(items)
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true
  const listType = textOrEmpty(schema, 'x-kubernetes-list-type')
  const rules = rulesOf(schema)
  const value = own(schema, 'default')
  return {
    type: typeIn(schema),
    nullable: schema['nullable'] === true,
    intOrString: schema['x-kubernetes-int-or-string'] === true,
    preserveUnknown: schema['x-kubernetes-preserve-unknown-fields'] === true,
    resource: isEmbedded || place === 'root',
    properties,
    additional,
    items,
    default: value,
    listType: listType === 'set' || listType === 'map' ? listType : 'atomic',
    mapKeys: textsOnly(schema, 'x-kubernetes-list-map-keys'),
    mapType: textOrEmpty(schema, 'x-kubernetes-map-type') === 'atomic' ? 'atomic' : 'granular',
    rules,
    ruleSchema: rules.length === 0 ? undefined : schema,
    limits: restrictionsOf(schema),
    hasDefaults: value !== undefined || inner.some((node) => node.hasDefaults),
    hasRules: rules.length > 0 || inner.some((node) => node.hasRules),
    hasKeyedLists: listType === 'set' || listType === 'map' || inner.some((node) => node.hasKeyedLists),
    hasEmbedded: isEmbedded || inner.some((node) => node.hasEmbedded),
  }
}

function compileProperties(schema: ValueMap): ReadonlyMap<string, Node> | undefined {
  const properties = own(schema, 'properties')
  if (!isMap(properties)) return undefined
  const compiled = new Map<string, Node>()
  for (const name of Object.keys(properties)) {
    const property = properties[name]
    compiled.set(name, compileNode(asMap(property)))
  }
  return compiled
}

function compileAdditional(value: Value | undefined): Node | 'any' | undefined {
  if (isMap(value)) return compileNode(value)
  return value === true ? 'any' : undefined
}

function compileInner(value: Value | undefined): Node | undefined {
  return isMap(value) ? compileNode(value) : undefined
}

const UNRESTRICTED: Restrictions = Object.freeze(readRestrictions({}))

const RESTRICTING: ReadonlySet<string> = new Set(Object.keys(UNRESTRICTED))

/** Most nodes have no restrictions. They share one record. */
function restrictionsOf(schema: ValueMap): Restrictions {
  return Object.keys(schema).some((key) => RESTRICTING.has(key)) ? readRestrictions(schema) : UNRESTRICTED
}

function readRestrictions(schema: ValueMap): Restrictions {
  const list = own(schema, 'enum')
  return {
    format: formatIn(schema),
    minimum: numberOrAbsent(schema, 'minimum'),
    exclusiveMinimum: schema['exclusiveMinimum'] === true,
    maximum: numberOrAbsent(schema, 'maximum'),
    exclusiveMaximum: schema['exclusiveMaximum'] === true,
    multipleOf: numberOrAbsent(schema, 'multipleOf'),
    minLength: numberOrAbsent(schema, 'minLength'),
    maxLength: numberOrAbsent(schema, 'maxLength'),
    pattern: textOrEmpty(schema, 'pattern'),
    minItems: numberOrAbsent(schema, 'minItems'),
    maxItems: numberOrAbsent(schema, 'maxItems'),
    minProperties: numberOrAbsent(schema, 'minProperties'),
    maxProperties: numberOrAbsent(schema, 'maxProperties'),
    enum: isList(list) && list.length > 0 ? list : undefined,
    required: textsOnly(schema, 'required'),
    allOf: nodesIn(schema, 'allOf'),
    anyOf: nodesIn(schema, 'anyOf'),
    oneOf: nodesIn(schema, 'oneOf'),
    not: compileInner(own(schema, 'not')),
  }
}

/** The format in a schema. A format for another type is ignored. */
function formatIn(schema: ValueMap): string {
  const format = textOrEmpty(schema, 'format')
  return isRecognizedFormat(format, textOrEmpty(schema, 'type')) ? format : ''
}

function rulesOf(schema: ValueMap): readonly RuleText[] {
  const rules = own(schema, 'x-kubernetes-validations')
  return isList(rules) ? rules.filter(isMap).map(ruleTextOf) : NO_RULES
}

const NO_RULES: readonly RuleText[] = Object.freeze([])

function nodesIn(schema: ValueMap, field: string): readonly Node[] {
  return mapsOnly(schema, field).map((one) => compileNode(one))
}

const TYPES: ReadonlySet<string> = new Set(['object', 'array', 'string', 'integer', 'number', 'boolean'])

function typeIn(schema: ValueMap): NodeType {
  const type = textOrEmpty(schema, 'type')
  return TYPES.has(type) ? (type as NodeType) : ''
}
