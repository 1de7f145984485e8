// The checks of a Zod schema (`.min()`, `.regex()`, formats) in the keywords of a structural schema.
import { BEYOND_RE2, isBeyondRe2, re2Pattern } from './pattern.ts'
import type { StructuralSchema } from './structural.ts'

/** The members of a check that this file reads. A format such as `z.email()` is a schema that is its own first check. */
export interface ZodCheck {
  readonly _zod: { readonly def: CheckDef }
}

interface CheckDef {
  readonly check?: string
  readonly format?: string
  readonly pattern?: RegExp
  readonly value?: unknown
  readonly inclusive?: boolean
  readonly minimum?: number
  readonly maximum?: number
  readonly length?: number
  readonly local?: boolean
}

/**
 * Formats that Kubernetes knows. If Zod's pattern is valid in RE2, it is kept, and Zod and Kubernetes agree exactly. Kubernetes is a little
 * stricter about URLs and host names.
 */
const FORMATS: Readonly<Record<string, string>> = {
  email: 'email',
  uuid: 'uuid',
  guid: 'uuid',
  url: 'uri',
  ipv4: 'ipv4',
  ipv6: 'ipv6',
  cidrv4: 'cidr',
  cidrv6: 'cidr',
  mac: 'mac',
  hostname: 'hostname',
  date: 'date',
  datetime: 'date-time',
}

/** Formats that Zod checks by code. Their pattern alone is not the whole check. */
const LOOSE_PATTERNS: ReadonlySet<string> = new Set([
  'url',
  'ipv6',
  'cidrv6',
  'base64url',
  'jwt',
  'credit_card',
  'iban',
])

/** The format `byte` of Kubernetes refuses an empty text, and Zod's base64 does not. This pattern is Zod's whole check. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

const NUMBER_FORMATS: Readonly<Record<string, StructuralSchema>> = {
  safeint: { type: 'integer' },
  int32: { type: 'integer', format: 'int32' },
  uint32: { type: 'integer', format: 'int64', minimum: 0, maximum: 4_294_967_295 },
  float32: { type: 'number', format: 'float' },
  float64: { type: 'number', format: 'double' },
}

interface Checked {
  readonly schema: StructuralSchema
  /** The number of checks that are functions, which no schema can have. */
  readonly refinements: number
}

type Refuse = (message: string) => void

/** The schema with the checks of a definition. */
export function withChecks(
  schema: StructuralSchema,
  def: CheckDef & { readonly checks?: readonly ZodCheck[] },
  refuse: Refuse,
): Checked {
  const checks = (def.checks ?? []).map((check) => check['_zod'].def)
  const all = def.check === undefined || def.check === 'custom' ? checks : [def, ...checks]
  const said = all.filter(({ check }) => check !== 'custom')
  const checked = said.reduce((made, check) => withCheck(made, check, refuse), schema)
  return { schema: checked, refinements: all.length - said.length }
}

function withCheck(schema: StructuralSchema, check: CheckDef, refuse: Refuse): StructuralSchema {
  switch (check.check) {
    case 'greater_than':
      return withMinimum(schema, Number(check.value), check.inclusive === true)
    case 'less_than':
      return withMaximum(schema, Number(check.value), check.inclusive === true)
    case 'multiple_of':
      return withFurther(schema, { multipleOf: Number(check.value) })
    case 'min_length':
      return withLength(schema, check.minimum, undefined)
    case 'max_length':
      return withLength(schema, undefined, check.maximum)
    case 'length_equals':
      return withLength(schema, check.length, check.length)
    case 'number_format': {
      const { minimum, maximum, ...format } = NUMBER_FORMATS[check.format ?? ''] ?? {}
      const typed = schema.type === 'integer' && format.type === 'number' ? schema : { ...schema, ...format }
      const raised = minimum === undefined ? typed : withMinimum(typed, minimum, true)
      return maximum === undefined ? raised : withMaximum(raised, maximum, true)
    }
    case 'string_format':
      return withFormat(schema, check, refuse)
    case 'overwrite':
      refuse('.trim(), .toLowerCase() and the like: the API stores what is sent; convert where it is read')
      return schema
    default:
      refuse(`the check "${check.check}" has no counterpart: write it as a CEL rule`)
      return schema
  }
}

function withMinimum(schema: StructuralSchema, minimum: number, inclusive: boolean): StructuralSchema {
  const { minimum: before = -Infinity, exclusiveMinimum: _, ...rest } = schema
  if (before > minimum || (before === minimum && inclusive)) return schema
  return { ...rest, minimum, ...(inclusive ? {} : { exclusiveMinimum: true }) }
}

function withMaximum(schema: StructuralSchema, maximum: number, inclusive: boolean): StructuralSchema {
  const { maximum: before = Infinity, exclusiveMaximum: _, ...rest } = schema
  if (before < maximum || (before === maximum && inclusive)) return schema
  return { ...rest, maximum, ...(inclusive ? {} : { exclusiveMaximum: true }) }
}

function withLength(schema: StructuralSchema, least: number | undefined, most: number | undefined): StructuralSchema {
  const [min, max] =
    schema.type === 'array' ? (['minItems', 'maxItems'] as const) : (['minLength', 'maxLength'] as const)
  return {
    ...schema,
    ...(least === undefined ? {} : { [min]: Math.max(least, schema[min] ?? 0) }),
    ...(most === undefined ? {} : { [max]: Math.min(most, schema[max] ?? most) }),
  }
}

function withFormat(schema: StructuralSchema, check: CheckDef, refuse: Refuse): StructuralSchema {
  const { format = '', local = false } = check
  const pattern = format === 'base64' ? BASE64 : check.pattern
  const known = local || !Object.hasOwn(FORMATS, format) ? {} : { format: FORMATS[format]! }
  const isWhole = pattern !== undefined && !LOOSE_PATTERNS.has(format)
  if (isWhole && !isBeyondRe2(pattern.source)) {
    return withFurther({ ...schema, ...known }, { pattern: re2Pattern(pattern, refuse) })
  }
  if (format === 'regex') {
    refuse(BEYOND_RE2)
  } else if (known.format === undefined)
    refuse(`the format "${format}" is unknown to Kubernetes: use .regex() or a CEL rule`)
  return { ...schema, ...known }
}

/** A schema has each keyword only once. A second value of a keyword goes into `allOf`. */
function withFurther(schema: StructuralSchema, more: { pattern: string } | { multipleOf: number }): StructuralSchema {
  const isTaken = 'pattern' in more ? schema.pattern !== undefined : schema.multipleOf !== undefined
  return isTaken ? { ...schema, allOf: [...(schema.allOf ?? []), more] } : { ...schema, ...more }
}
