// The declaration of a function in a library: its signatures, and its implementation.
import type { Pattern } from './pattern.ts'
import { type Overload, signature } from './signature.ts'
import type { Type } from './type.ts'
import { CelList, CelMap, type CelValue, Duration, type Fault, noSuchOverload, OpaqueValue, Optional } from './value.ts'
import { Timestamp, TypeValue, Uint } from './value.ts'

/** The characters or bytes of a value that a function can read in one step. */
const READ_IN_A_STEP = 64

/** To count the members of a map, all keys are listed. */
const LISTED_IN_A_STEP = 4

/** Counts the work of reading a text or bytes, or the size of a map. */
export function workOfReading(value: CelValue, meter: Pick<Meter, 'work'>): void {
  if (typeof value === 'string' || value instanceof Uint8Array) meter.work(value.length / READ_IN_A_STEP)
  else if (value instanceof CelMap) meter.work(value.size / LISTED_IN_A_STEP)
}

/** Parts of the evaluation that functions use. */
export interface Meter {
  /** Counts work beyond the cost of the call. Throws `OverBudget` if the work is too much. */
  work(steps: number): void
  /** Returns the compiled pattern, which many evaluations share. A search in a text is work too. */
  pattern(text: string): Pattern | Fault
}

export interface FunctionDefinition {
  readonly name: string
  readonly overloads: readonly Overload[]
  /** A target is the first argument. Returns `noSuchOverload()` if no signature fits the arguments. */
  readonly run: (args: readonly CelValue[], meter: Meter) => CelValue
}

/** `compute` declares the types of its arguments. It is called only with arguments that fit one of the signatures. */
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

/** Whether the value has the type. The items of lists and maps are not checked. */
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
