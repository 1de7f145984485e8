// The changed fields of an update, for ownership: the old and the new object are compared in their completed form (`zero-values.ts`).
// Fields that a write through the endpoint cannot change are ignored.
import { withMembers } from '../api/object-members.ts'
import { own, type ValueMap } from '../api/value.ts'
import type { ObjectShape } from '../schema/table.ts'
import { differenceWithBelow, type FieldSet } from './field-set.ts'
import { compare, type Comparison } from './typed-walk.ts'
import { withZeroValues } from './zero-values.ts'

export interface UpdatedObject {
  readonly before: ValueMap
  readonly after: ValueMap
  /** Fields that a write through this endpoint cannot change. */
  readonly reset: FieldSet
}

export function compareUpdated(shape: ObjectShape, { before, after: sent, reset }: UpdatedObject): Comparison {
  const after = withFieldsOf(sent, before, reset)
  const changes = compare(shape, withZeroValues(shape, before, after), withZeroValues(shape, after, before))
  return withoutReset(changes, reset)
}

export function withoutReset({ added, modified, removed }: Comparison, reset: FieldSet): Comparison {
  return {
    added: differenceWithBelow(added, reset),
    modified: differenceWithBelow(modified, reset),
    removed: differenceWithBelow(removed, reset),
  }
}

/** The object with the top-level fields of `reset` from the other object. Returns the object itself if it has the same values. */
function withFieldsOf(object: ValueMap, other: ValueMap, reset: FieldSet): ValueMap {
  let result = object
  for (const element of reset.members) {
    const name = element.slice(2)
    const value = own(other, name)
    if (own(result, name) !== value) result = withMembers(result, { [name]: value })
  }
  return result
}
