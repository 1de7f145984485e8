// Turns a plain JSON schema into a structural one. It translates a few keywords of newer drafts. It refuses parts that Kubernetes does not
// support, and proposes a replacement.
import type { Value } from '../api/value.ts'
import { BEYOND_RE2, isBeyondRe2 } from './pattern.ts'
import { KUBERNETES_KEYWORDS, type Report, type StructuralSchema } from './structural.ts'

type ScalarType = NonNullable<StructuralSchema['type']>

type Rewritten =
  | ('type' | 'properties' | 'additionalProperties' | 'items' | 'exclusiveMinimum' | 'exclusiveMaximum')
  | ('allOf' | 'anyOf' | 'oneOf' | 'not')

/** A JSON schema that can be made structural. Write it in place or `as const`: the static types come from it. */
export interface JsonSchema extends Omit<StructuralSchema, Rewritten> {
  /** A list of a type and `null` makes the value nullable. */
  readonly type?: ScalarType | readonly (ScalarType | 'null')[]
  readonly const?: Value
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: JsonSchema | boolean
  readonly items?: JsonSchema
  readonly exclusiveMinimum?: boolean | number
  readonly exclusiveMaximum?: boolean | number
  /** These four only restrict the value: types, defaults and descriptions must stand outside of them. */
  readonly allOf?: readonly JsonSchema[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly not?: JsonSchema
}

/** Keywords that cannot be structural, and their replacements. The compiler shows the same texts. */
export const KEYWORDS_INSTEAD = {
  $ref: '$ref: write the schema out where it is used',
  prefixItems: 'prefixItems: use an object with named fields, or a list of one type',
  patternProperties: 'patternProperties: use additionalProperties and a CEL rule, self.all(key, …)',
  propertyNames: 'propertyNames: use a CEL rule, self.all(key, …)',
  uniqueItems: 'uniqueItems: use x-kubernetes-list-type: set',
  if: 'if: use a CEL rule',
  contains: 'contains: use a CEL rule, self.exists(item, …)',
  dependentRequired: 'dependentRequired: use a CEL rule, !has(self.a) || has(self.b)',
  dependentSchemas: 'dependentSchemas: use a CEL rule',
} as const

const IGNORED: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$comment',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
])
const KEPT: ReadonlySet<string> = new Set([
  ...KUBERNETES_KEYWORDS,
  ...'title description format nullable default example enum pattern minLength maxLength minimum maximum'.split(' '),
  ...'multipleOf minItems maxItems minProperties maxProperties required'.split(' '),
])

/** Keywords that may not stand inside of `allOf` and the like: the type would depend on the value. */
const OUTSIDE = /^(type|default|nullable|title|description|additionalProperties|x-kubernetes-(?!validations).*)$/

interface Place {
  readonly path: string
  readonly report: Report
  /** Whether the place is inside of `allOf` and the like. */
  readonly isValueOnly: boolean
}

export function fromJsonSchema(schema: JsonSchema, path: string, report: Report): StructuralSchema {
  return structuralOf(schema, { path, report, isValueOnly: false })
}

function structuralOf(schema: JsonSchema, place: Place): StructuralSchema {
  const { path, report, isValueOnly } = place
  const keywords = Object.entries(schema).filter(([key]) => !IGNORED.has(key))
  const outside = isValueOnly ? keywords.find(([key]) => OUTSIDE.test(key)) : undefined
  if (outside !== undefined) {
    report(
      path,
      `"${outside[0]}" cannot depend on the value: a union is an object with an optional field for each alternative`,
    )
    return {}
  }
  const parts = keywords.map(([key, value]) =>
    KEPT.has(key) ? { [key]: value } : translated(key as keyof JsonSchema, schema, place),
  )
  const made = Object.assign({}, ...parts) as StructuralSchema
  const isOpen = made['x-kubernetes-int-or-string'] ?? made['x-kubernetes-preserve-unknown-fields'] ?? isValueOnly
  if (made.type === undefined && !isOpen) report(path, 'has no type, which every part of a structural schema has')
  if (made.pattern !== undefined && isBeyondRe2(made.pattern)) report(path, BEYOND_RE2)
  return made
}

function translated(key: keyof JsonSchema, schema: JsonSchema, place: Place): StructuralSchema {
  const { path, report } = place
  const within = (part: JsonSchema, step: string): StructuralSchema =>
    structuralOf(part, { ...place, path: `${path}${step}` })
  switch (key) {
    case 'type':
      return typeOf(schema, place)
    case 'const':
      return { enum: [schema.const!] }
    case 'properties': {
      const fields = Object.entries(schema.properties!)
      return { properties: Object.fromEntries(fields.map(([name, field]) => [name, within(field, `.${name}`)])) }
    }
    case 'items':
      if (!Array.isArray(schema.items)) return { items: within(schema.items!, '[]') }
      report(path, KEYWORDS_INSTEAD.prefixItems)
      return {}
    case 'additionalProperties':
      // The server prunes unknown fields anyway, or refuses them if the client wants that.
      if (schema.additionalProperties === false) return {}
      if (schema.additionalProperties === true) return { 'x-kubernetes-preserve-unknown-fields': true }
      if (schema.properties === undefined) return { additionalProperties: within(schema.additionalProperties!, '{}') }
      report(path, 'an object has either properties or additionalProperties: move the latter to a field of its own')
      return {}
    case 'exclusiveMinimum':
      return bound('minimum', schema, place)
    case 'exclusiveMaximum':
      return bound('maximum', schema, place)
    case 'allOf':
    case 'anyOf':
    case 'oneOf': {
      // These keywords may have types only with `x-kubernetes-int-or-string`.
      if (schema['x-kubernetes-int-or-string'] === true) return { [key]: schema[key] }
      const alternative = { ...place, path: `${path}.${key}`, isValueOnly: true }
      return { [key]: schema[key]!.map((part) => structuralOf(part, alternative)) }
    }
    case 'not':
      return { not: structuralOf(schema.not!, { ...place, path: `${path}.not`, isValueOnly: true }) }
    default: {
      const known = Object.hasOwn(KEYWORDS_INSTEAD, key)
        ? KEYWORDS_INSTEAD[key as keyof typeof KEYWORDS_INSTEAD]
        : undefined
      report(path, known ?? `unknown keyword "${key as string}"`)
      return {}
    }
  }
}

function typeOf({ type }: JsonSchema, { path, report }: Place): StructuralSchema {
  const types = [type].flat() as readonly (ScalarType | 'null')[]
  const [only, ...others] = types.filter((name) => name !== 'null')
  if (only === undefined) report(path, 'null alone: use nullable: true beside another type')
  if (others.length > 0) report(path, 'several types: only x-kubernetes-int-or-string: true has two')
  return { ...(only === undefined ? {} : { type: only }), ...(types.includes('null') ? { nullable: true } : {}) }
}

/** In newer drafts, `exclusiveMinimum` is a number. In the draft of Kubernetes, it is a switch beside `minimum`. */
function bound(side: 'minimum' | 'maximum', schema: JsonSchema, { path, report }: Place): StructuralSchema {
  const name = side === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum'
  const exclusive = schema[name]!
  if (typeof exclusive === 'boolean') return { [name]: exclusive }
  if (schema[side] !== undefined) report(path, `${side} and ${name}: keep the tighter of the two`)
  return { [side]: exclusive, [name]: true }
}
