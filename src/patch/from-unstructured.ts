// Checks whether the result of a strategic merge can be an object of its kind. The reference does not decode this result like a body. It
// restores the result member by member, in the order of the type's fields, and has other messages for faults (W-207).
import { isList, isMap, own, type Value } from '../api/value.ts'
import { firstFound } from '../lib/first-found.ts'
import { decodeScalar, ScalarFaultError } from '../schema/decode-scalars.ts'
import type { ObjectShape, Shape } from '../schema/table.ts'
import { goType } from '../api/go-format.ts'

const TEXT: Shape = Object.freeze({ kind: 'string' })
/** These members are not fields of a shape. */
const TYPE_NAMES: readonly string[] = ['kind', 'apiVersion']
const OCTET: Shape = Object.freeze({ kind: 'int32' })

/** The first fault, in the reference's words. Undefined: this check finds no fault. */
export function findConversionFault(shape: ObjectShape, value: Value): string | undefined {
  const names = isMap(value) ? TYPE_NAMES.map((name) => own(value, name) ?? null) : []
  return firstFound(names, (name) => faultIn(TEXT, name)) ?? faultIn(shape, value)
}

/** `name`: the Go type of the field, if its name matters. */
function faultIn(shape: Shape, value: Value, name?: string): string | undefined {
  if (value === null) return undefined
  switch (shape.kind) {
    case 'object':
      if (!isMap(value)) return `cannot restore struct from: ${goKind(value)}`
      return firstFound(shape.fields, (field) => {
        const member = own(value, field.name)
        return member === undefined ? undefined : faultIn(field.shape, member, field.goType)
      })
    case 'list':
      if (!isList(value)) return `cannot restore slice from ${goKind(value)}`
      return firstFound(value, (item) => faultIn(shape.item, item, name))
    case 'map':
      if (!isMap(value)) return `cannot restore map from ${goKind(value)}`
      return firstFound(Object.values(value), (member) => faultIn(shape.value, member, name))
    case 'bytes':
      return bytesFault(value)
    case 'string':
      if (typeof value === 'string') return undefined
      // Go converts an integer to a string of one character. The conversion is never intended, so the reference refuses it with a special
      // text.
      return goKind(value) === 'int64' ? `cannot convert int64 to ${itemNameOf(name)}` : 'unrecognized type: string'
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'unrecognized type: bool'
    case 'int32':
    case 'int64':
      if (typeof value !== 'number') return typeof value === 'bigint' ? undefined : `unrecognized type: ${shape.kind}`
      return Number.isInteger(value) ? undefined : `cannot convert float64 to ${shape.kind}`
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? undefined : 'unrecognized type: float64'
    default:
      // Decoding reports the faults of times, quantities and similar types.
      return undefined
  }
}

/** The type of the items: `v1.IPFamily` for `[]v1.IPFamily`. */
function itemNameOf(name = 'string'): string {
  return name.replace(/^(?:\[\]|map\[\w+\])/, '')
}

function bytesFault(value: Value): string | undefined {
  if (isList(value)) return firstFound(value, (item) => faultIn(OCTET, item) && 'unrecognized type: uint8')
  if (typeof value !== 'string') return `cannot restore slice from ${goKind(value)}`
  try {
    decodeScalar('bytes', value)
    return undefined
  } catch (error) {
    if (!(error instanceof ScalarFaultError) || error.fault.kind !== 'text') throw error
    return `error decoding from json: ${error.fault.message}`
  }
}

/** Go's name for the kind of a value that was decoded without a type. */
function goKind(value: Value): string {
  if (isList(value)) return 'slice'
  const type = goType(value)
  return type.startsWith('map') ? 'map' : type
}
