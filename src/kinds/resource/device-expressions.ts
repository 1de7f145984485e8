// CEL expressions of classes and claims, which select devices or make attributes of devices: their environment, result type and cost limit.
import {
  BOOL,
  compile,
  type Environment,
  type MapType,
  type ObjectType,
  opaque,
  type Type,
  typeName,
} from '../../cel/cel.ts'

export type DeviceExpressionFault =
  | { readonly kind: 'invalid' | 'internal'; readonly problem: string }
  /** The expression exceeds the cost limit. */
  | { readonly kind: 'forbidden'; readonly problem: string }

/** The cost limit of an expression, and of all expressions together with which a claim makes attributes. */
export const MAX_DEVICE_COST = 1_000_000
const MAX_DOMAIN = 63
const MAX_ID = 32
const MAX_VALUE = 64
const MAX_MEMBERS = 32

const bounded = (maxSize: number): { readonly maxSize: number; readonly minBytes: number } => ({ maxSize, minBytes: 0 })
const text = (maxSize: number): Type => ({ kind: 'string', bounds: bounded(maxSize) })

/** A map by domain, then by name. */
function byName(value: Type, hasSizedMembers: boolean): MapType {
  const bounds = bounded(MAX_MEMBERS)
  const inner: MapType = { kind: 'map', key: text(MAX_ID), value, hasSizedMembers, bounds }
  return { kind: 'map', key: text(MAX_DOMAIN), value: inner, bounds }
}

const FIELDS: Readonly<Record<string, Type>> = {
  driver: text(MAX_DOMAIN),
  attributes: byName({ kind: 'dyn', bounds: bounded(MAX_VALUE) }, true),
  capacity: byName(opaque('kubernetes.Quantity'), false),
  allowMultipleAllocations: BOOL,
}

const DEVICE: ObjectType = {
  kind: 'object',
  name: 'kubernetes.DRADevice',
  fields: new Map(Object.entries(FIELDS).map(([member, type]) => [member, { type, member }])),
}

const ENVIRONMENT: Environment = {
  variables: new Map([['device', DEVICE]]),
  hasBind: true,
  limits: { patterns: 1500 },
}

/** Attributes may be lists, so an expression may look for a value in them. */
const WITH_LISTS: Environment = { ...ENVIRONMENT, hasIncludes: true }

interface Result {
  readonly accepts: (type: Type) => boolean
  /** The words for the accepted types. */
  readonly words: string
}

const DECISION: Result = {
  accepts: ({ kind }) => kind === 'bool' || kind === 'dyn',
  words: 'bool or the unknown type',
}

const SCALARS: readonly string[] = ['bool', 'int', 'string', 'dyn', 'kubernetes.Semver']

function isScalar(type: Type): boolean {
  return SCALARS.includes(typeName(type))
}

/** The result of an expression that makes an attribute. Lists need a gate. */
function attribute(hasLists: boolean): Result {
  const scalar = 'a primitive scalar (string, integer, boolean, semver)'
  return {
    accepts: (type) => isScalar(type) || (hasLists && type.kind === 'list' && isScalar(type.item)),
    words: hasLists ? `${scalar} or a list of these scalars` : scalar,
  }
}

/** The fault of an expression that selects devices. Undefined: it has none. */
export function deviceExpressionFault(expression: string, hasLists = false): DeviceExpressionFault | undefined {
  return checked(expression, DECISION, hasLists).fault
}

/** The fault of an expression that makes an attribute of devices, and its cost. */
export function attributeExpression(expression: string, hasLists: boolean): Checked {
  return checked(expression, attribute(hasLists), hasLists)
}

interface Checked {
  readonly fault?: DeviceExpressionFault
  readonly cost: number
}

function checked(expression: string, { accepts, words }: Result, hasLists: boolean): Checked {
  const refused = (kind: DeviceExpressionFault['kind'], problem: string, cost = 0): Checked => {
    return { fault: { kind, problem }, cost }
  }
  const compiled = compile(expression, hasLists ? WITH_LISTS : ENVIRONMENT)
  if (compiled.kind === 'refused') return refused('invalid', `compilation failed: ${compiled.text}`)
  const { resultType } = compiled.program
  if (!accepts(resultType)) return refused('invalid', `must evaluate to ${words}, not ${typeName(resultType)}`)
  const fault = compiled.program.instantiationFault()
  if (fault !== undefined) return refused('internal', `program instantiation failed: ${fault}`)
  const cost = compiled.program.estimate().max
  return cost <= MAX_DEVICE_COST ? { cost } : refused('forbidden', 'too complex, exceeds cost limit', cost)
}
