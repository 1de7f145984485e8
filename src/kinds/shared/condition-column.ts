// A cell that shows the state of an object by its conditions.
import type { ValueMap } from '../../api/value.ts'
import { conditionHolds } from '../../codec/tables/reading.ts'

/** The type of the first of these conditions that is true. If none is true, `otherwise`. */
export function stateOf(object: ValueMap, types: readonly string[], otherwise: string): string {
  return types.find((type) => conditionHolds(object, type, 'status', 'conditions')) ?? otherwise
}
