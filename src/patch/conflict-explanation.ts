// What an apply and the live object say of the fields that they conflict about, and whose those are.
import type { ConflictExplanation, ExplainedConflict } from '../api/explanation.ts'
import { equalValues, isList, isMap, own, type Value, type ValueMap } from '../api/value.ts'
import { jsonText, parseJsonText } from '../api/json-text.ts'
import { formatPath, type PathElement } from './field-set.ts'
import type { Conflict } from './ownership.ts'

/** Each is looked for in both objects. */
const MOST_EXPLAINED = 25
/** Characters of JSON. */
const LARGEST_SHOWN = 1000

const WAYS_OUT: readonly string[] = [
  'Take the fields over: apply again with force=true (kubectl apply --server-side --force-conflicts). The other managers lose them.',
  'Give the fields up: apply without them. They keep their value and their owner.',
  'Share the fields: apply the value that they have. Then each of the owners can only change them by force.',
]

export function explainConflicts(
  conflicts: readonly Conflict[],
  live: ValueMap,
  applied: ValueMap,
): ConflictExplanation {
  const explain = ({ manager, path }: Conflict): ExplainedConflict => {
    const { name, operation, apiVersion, subresource, time } = manager
    return {
      field: formatPath(path),
      owner: {
        manager: name,
        operation,
        apiVersion,
        ...(subresource === '' ? {} : { subresource }),
        ...(time === undefined ? {} : { time }),
      },
      ...shown('current', valueAt(live, path)),
      ...shown('applied', valueAt(applied, path)),
    }
  }
  return { conflicts: conflicts.slice(0, MOST_EXPLAINED).map(explain), waysOut: WAYS_OUT }
}

/** For who may not read the object: what the message of the error says already, and no more. */
export function withoutValues({ conflicts, waysOut }: ConflictExplanation): ConflictExplanation {
  const told = ({ field, owner }: ExplainedConflict): ExplainedConflict => {
    const { time: _, ...rest } = owner
    return { field, owner: rest }
  }
  return { conflicts: conflicts.map(told), waysOut }
}

function shown(member: 'current' | 'applied', value: Value | undefined): Partial<ExplainedConflict> {
  return value === undefined || jsonText(value).length > LARGEST_SHOWN ? {} : { [member]: value }
}

/** Undefined where there is nothing; also where the path is one of another version. */
function valueAt(object: Value, path: readonly PathElement[]): Value | undefined {
  let value: Value | undefined = object
  for (const element of path) value = valueBelow(value, element)
  return value
}

function valueBelow(value: Value | undefined, element: PathElement): Value | undefined {
  const name = element.slice(2)
  switch (element[0]) {
    case 'f':
      return isMap(value) ? own(value, name) : undefined
    case 'k': {
      const keys = parseJsonText(name) as ValueMap
      const isItem = (item: Value): boolean =>
        isMap(item) && Object.keys(keys).every((key) => equalValues(own(item, key), keys[key]))
      return isList(value) ? value.find(isItem) : undefined
    }
    case 'v': {
      const member = parseJsonText(name)
      return isList(value) ? value.find((item) => equalValues(item, member)) : undefined
    }
    default:
      return isList(value) ? value[Number(name)] : undefined
  }
}
