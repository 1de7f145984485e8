// The checks of a Zod schema (`.min()`, `.regex()`, formats) in the keywords of a structural schema.
import type { StructuralSchema } from './structural.ts'

/** What is used of a check; a format such as `z.email()` is a schema that is its own first check. */
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

/** Formats that Kubernetes knows. Where Zod's pattern is one of RE2, it goes along: the two agree then to the letter. */
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
  base64: 'byte',
}

/** Formats that Zod checks by code: their pattern says something else. */
const LOOSE_PATTERNS: ReadonlySet<string> = new Set([
  'url',
  'ipv6',
  'cidrv6',
  'base64',
  'base64url',
  'jwt',
  'credit_card',
  'iban',
])

const NUMBER_FORMATS: Readonly<Record<string, StructuralSchema>> = {
  safeint: { type: 'integer' },
  int32: { type: 'integer', format: 'int32' },
  uint32: { type: 'integer', format: 'int64', minimum: 0, maximum: 4_294_967_295 },
  float32: { type: 'number', format: 'float' },
  float64: { type: 'number', format: 'double' },
}

/** Lookaround and backreferences, which RE2 leaves out because they take more than linear time. */
const BEYOND_RE2 = /\(\?<?[=!]|\\[1-9]|\\k</

/** Puts the checks into the schema and returns how many of them are functions, which no schema can have. */
export function applyChecks(
  schema: StructuralSchema,
  def: CheckDef & { readonly checks?: readonly ZodCheck[] },
  refuse: (message: string) => void,
): number {
  const checks = (def.checks ?? []).map((check) => check['_zod'].def)
  let refinements = 0
  for (const check of def.check === undefined || def.check === 'custom' ? checks : [def, ...checks]) {
    if (check.check === 'custom') refinements++
    else applyCheck(schema, check, refuse)
  }
  return refinements
}

function applyCheck(schema: StructuralSchema, check: CheckDef, refuse: (message: string) => void): void {
  switch (check.check) {
    case 'greater_than':
      return raiseMinimum(schema, Number(check.value), check.inclusive === true)
    case 'less_than':
      return lowerMaximum(schema, Number(check.value), check.inclusive === true)
    case 'multiple_of':
      if (schema.multipleOf === undefined) schema.multipleOf = Number(check.value)
      else schema.allOf = [...(schema.allOf ?? []), { multipleOf: Number(check.value) }]
      return
    case 'min_length':
      return boundLength(schema, check.minimum, undefined)
    case 'max_length':
      return boundLength(schema, undefined, check.maximum)
    case 'length_equals':
      return boundLength(schema, check.length, check.length)
    case 'number_format': {
      const { minimum, maximum, ...format } = NUMBER_FORMATS[check.format ?? ''] ?? {}
      Object.assign(schema, schema.type === 'integer' && format.type === 'number' ? {} : format)
      if (minimum !== undefined) raiseMinimum(schema, minimum, true)
      if (maximum !== undefined) lowerMaximum(schema, maximum, true)
      return
    }
    case 'string_format':
      return applyFormat(schema, check, refuse)
    case 'overwrite':
      return refuse('.trim(), .toLowerCase() and the like: the API stores what is sent; convert where it is read')
    default:
      return refuse(`the check "${check.check}" has no counterpart: say it as a CEL rule`)
  }
}

function raiseMinimum(schema: StructuralSchema, minimum: number, inclusive: boolean): void {
  if (schema.minimum !== undefined && (schema.minimum > minimum || (schema.minimum === minimum && inclusive))) return
  schema.minimum = minimum
  delete schema.exclusiveMinimum
  if (!inclusive) schema.exclusiveMinimum = true
}

function lowerMaximum(schema: StructuralSchema, maximum: number, inclusive: boolean): void {
  if (schema.maximum !== undefined && (schema.maximum < maximum || (schema.maximum === maximum && inclusive))) return
  schema.maximum = maximum
  delete schema.exclusiveMaximum
  if (!inclusive) schema.exclusiveMaximum = true
}

function boundLength(schema: StructuralSchema, least: number | undefined, most: number | undefined): void {
  const [min, max] =
    schema.type === 'array' ? (['minItems', 'maxItems'] as const) : (['minLength', 'maxLength'] as const)
  if (least !== undefined) schema[min] = Math.max(least, schema[min] ?? 0)
  if (most !== undefined) schema[max] = Math.min(most, schema[max] ?? most)
}

function applyFormat(schema: StructuralSchema, check: CheckDef, refuse: (message: string) => void): void {
  const { format = '', pattern } = check
  const known = check.local === true ? undefined : FORMATS[format]
  const isWhole = pattern !== undefined && !LOOSE_PATTERNS.has(format)
  if (known !== undefined) schema.format = known
  if (isWhole && !BEYOND_RE2.test(pattern.source.replaceAll('\\\\', ''))) return addPattern(schema, pattern, refuse)
  if (known !== undefined) return
  if (format === 'regex')
    refuse(
      'a pattern with lookaround or backreferences, which RE2 leaves out: say it as several patterns or a CEL rule',
    )
  else refuse(`the format "${format}" is unknown to Kubernetes: use .regex() or a CEL rule`)
}

function addPattern(schema: StructuralSchema, { source, flags }: RegExp, refuse: (message: string) => void): void {
  if (/[my]/.test(flags)) return refuse(`the flags "${flags}" of a pattern: leave m and y out`)
  const inline = ['i', 's'].filter((flag) => flags.includes(flag)).join('')
  const written = source.replace(
    /\\u\{([0-9a-f]+)\}|\\u([0-9a-f]{4})/gi,
    (_, long: string, short: string) => `\\x{${long ?? short}}`,
  )
  const pattern = `${inline === '' ? '' : `(?${inline})`}${written}`
  if (schema.pattern === undefined) schema.pattern = pattern
  else schema.allOf = [...(schema.allOf ?? []), { pattern }]
}
