// CEL expressions that select devices, in classes and claims: their environment, result type and cost limit.
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
  /** It exceeds the cost limit. */
  | { readonly kind: 'forbidden'; readonly problem: string }

const MAX_COST = 1_000_000
const MAX_DOMAIN = 63
const MAX_ID = 32
const MAX_VALUE = 64
const MAX_MEMBERS = 32

const bounded = (maxSize: number): { readonly maxSize: number; readonly minBytes: number } => ({ maxSize, minBytes: 0 })
const text = (maxSize: number): Type => ({ kind: 'string', bounds: bounded(maxSize) })

/** By domain, then by name. */
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

const ENVIRONMENT: Environment = { variables: new Map([['device', DEVICE]]), hasBind: true }

/** The fault of the expression. Undefined: it has none. */
export function deviceExpressionFault(expression: string): DeviceExpressionFault | undefined {
  const compiled = compile(expression, ENVIRONMENT)
  if (compiled.kind === 'refused') return { kind: 'invalid', problem: `compilation failed: ${compiled.text}` }
  const { resultType } = compiled.program
  if (resultType.kind !== 'bool' && resultType.kind !== 'dyn') {
    return { kind: 'invalid', problem: `must evaluate to bool or the unknown type, not ${typeName(resultType)}` }
  }
  const fault = compiled.program.instantiationFault()
  if (fault !== undefined) return { kind: 'internal', problem: `program instantiation failed: ${fault}` }
  if (compiled.program.estimate().max <= MAX_COST) return undefined
  return { kind: 'forbidden', problem: 'too complex, exceeds cost limit' }
}
