// The declaration of a function in a library: its signatures, and its implementation.
import type { Pattern } from './pattern.ts'
import { type Overload, signature } from './signature.ts'
import type { Type } from './type.ts'
import { CelList, CelMap, type CelValue, Duration, type Fault, noSuchOverload, OpaqueValue, Optional } from './value.ts'
import { Timestamp, TypeValue, Uint } from './value.ts'

/** Parts of the evaluation that functions use. */
export interface Meter {
  /** Counts work beyond the cost of the call; throws when it is too much. */
  work(steps: number): void
  /** Compiled once for many evaluations. */
  pattern(text: string): Pattern | Fault
}

export interface FunctionDefinition {
  readonly name: string
  readonly overloads: readonly Overload[]
  /** The target comes first. Answers `noSuchOverload()` to values that none of the signatures takes. */
  readonly run: (args: readonly CelValue[], meter: Meter) => CelValue
}

/** `compute` says itself which types it takes: it only gets arguments that fit one of the signatures. */
export function define(
  name: string,
  signatures: readonly string[],
  compute: (args: never, meter: Meter) => CelValue,
): FunctionDefinition {
  const overloads = signatures.map(signature)
  return {
    name,
    overloads,
    run: (args, meter) => {
      for (let i = 0; i < overloads.length; i++) {
        if (areOf(args, overloads[i]!.parameters)) return compute(args as never, meter)
      }
      return noSuchOverload()
    },
  }
}

function areOf(values: readonly CelValue[], types: readonly Type[]): boolean {
  if (values.length !== types.length) return false
  for (let i = 0; i < types.length; i++) if (!isOf(values[i] as CelValue, types[i] as Type)) return false
  return true
}

/** Whether the value is of the type, as far as it shows without reading its items. */
function isOf(value: CelValue, type: Type): boolean {
  switch (type.kind) {
    case 'string':
      return typeof value === 'string'
    case 'opaque':
      return value instanceof OpaqueValue && value.typeName === type.name
    case 'int':
      return typeof value === 'bigint'
    case 'double':
      return typeof value === 'number'
    case 'bool':
      return typeof value === 'boolean'
    case 'null':
      return value === null
    case 'list':
      return value instanceof CelList
    case 'map':
      return value instanceof CelMap
    case 'uint':
      return value instanceof Uint
    case 'bytes':
      return value instanceof Uint8Array
    case 'timestamp':
      return value instanceof Timestamp
    case 'duration':
      return value instanceof Duration
    case 'optional':
      return value instanceof Optional
    case 'type':
      return value instanceof TypeValue
    default:
      return true
  }
}
