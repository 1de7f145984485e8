// The changed fields of an update, for ownership: both objects are compared in their completed form. Fields that a write through the
// endpoint cannot change are ignored.
import type { Value, ValueMap } from '../api/value.ts'
import type { ObjectShape } from '../schema/table.ts'
import { differenceWithBelow, fieldElement, type FieldSet } from './field-set.ts'
import { compare, type Comparison } from './typed-walk.ts'
import { withZeroValues } from './zero-values.ts'

export interface UpdatedObject {
  readonly before: ValueMap
  readonly after: ValueMap
  /** Fields that a write through this endpoint cannot change. */
  readonly reset: FieldSet
}

export function compareUpdated(shape: ObjectShape, { before, after, reset }: UpdatedObject): Comparison {
  const left = withoutMembers(before, reset)
  const right = withoutMembers(after, reset)
  const changes = compare(shape, withZeroValues(shape, left, right), withZeroValues(shape, right, left))
  return withoutReset(changes, reset)
}

export function withoutReset({ added, modified, removed }: Comparison, reset: FieldSet): Comparison {
  return {
    added: differenceWithBelow(added, reset),
    modified: differenceWithBelow(modified, reset),
    removed: differenceWithBelow(removed, reset),
  }
}

/** The object without these fields. If it has none of them: the object itself. */
function withoutMembers(object: ValueMap, reset: FieldSet): ValueMap {
  let rest: Record<string, Value> | undefined
  for (const name of Object.keys(object)) {
    if (!reset.members.has(fieldElement(name))) continue
    rest ??= { ...object }
    delete rest[name]
  }
  return rest ?? object
}
