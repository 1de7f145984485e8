// Finds faults in times, durations, quantities and int-or-strings. These have unmarshalers of their own in the reference: their errors end
// decoding at once, and are reported instead of earlier type errors. The search runs only in documents that are refused anyway.
import { firstFound } from '../lib/first-found.ts'
import { decodeScalar, ScalarFaultError, type ScalarFault } from './decode-scalars.ts'
import { ExactMap, type SourceValue } from './exact-value.ts'
import { isSourceMap } from './source-parts.ts'
import type { Shape } from './table.ts'

const SELF_READING: ReadonlySet<string> = new Set(['time', 'microTime', 'duration', 'quantity', 'intOrString'])

interface FoundFault {
  readonly fault: ScalarFault
  /** The names of the fields that lead to the fault, without indices and the keys of maps. */
  readonly fields: readonly string[]
}

/** The first such fault in the order of the document. Undefined: there is no such fault. */
export function unmarshalFault(
  shape: Shape,
  source: SourceValue,
  fields: readonly string[] = [],
): FoundFault | undefined {
  if (source === null) return undefined
  switch (shape.kind) {
    case 'object':
      return firstFound(membersOf(source), ([key, value]) => {
        const field = shape.byName.get(key)
        return field === undefined ? undefined : unmarshalFault(field.shape, value, [...fields, key])
      })
    case 'map':
      return firstFound(membersOf(source), ([, value]) => unmarshalFault(shape.value, value, fields))
    case 'list':
      return Array.isArray(source)
        ? firstFound(source as readonly SourceValue[], (item) => unmarshalFault(shape.item, item, fields))
        : undefined
    default:
      return SELF_READING.has(shape.kind) ? inScalar(shape, source, fields) : undefined
  }
}

function inScalar(shape: Shape, source: SourceValue, fields: readonly string[]): FoundFault | undefined {
  try {
    decodeScalar(shape.kind as Parameters<typeof decodeScalar>[0], source)
    return undefined
  } catch (error) {
    if (!(error instanceof ScalarFaultError)) throw error
    return { fault: error.fault, fields }
  }
}

function membersOf(source: SourceValue): readonly (readonly [string, SourceValue])[] {
  if (source instanceof ExactMap) return source.keys.map((key, i) => [key, source.values[i] ?? null])
  return isSourceMap(source) ? Object.entries(source) : []
}
