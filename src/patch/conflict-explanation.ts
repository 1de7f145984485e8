// Explains the conflicts of an apply: the fields, their values in the apply and in the live object, and their owners.
import type { ConflictExplanation, ExplainedConflict } from '../api/explanation.ts'
import { isList, isMap, own, type Value, type ValueMap } from '../api/value.ts'
import { jsonText, parseJsonText } from '../api/json-text.ts'
import { getOrInsert } from '../lib/map-entries.ts'
import { formatPath, keyElement, type PathElement, valueElement } from './field-set.ts'
import type { Conflict } from './ownership.ts'

/** People do not read longer lists. */
const MOST_EXPLAINED = 100
/** In characters of JSON. A larger value is not shown. */
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
  const lookup = new Lookup()
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
      ...shown('current', lookup.at(live, path)),
      ...shown('applied', lookup.at(applied, path)),
    }
  }
  return { conflicts: conflicts.slice(0, MOST_EXPLAINED).map(explain), waysOut: WAYS_OUT }
}

/** The explanation for users who may not read the object. It has only the facts in the message of the error. */
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

/** Finds values by their paths. A list is indexed at the first request for one of its items: there may be many lists and items. */
class Lookup {
  readonly #indexes = new Map<string, WeakMap<readonly Value[], Map<PathElement, Value>>>()

  /** The value at a path. Undefined: there is no value, or the path belongs to another version. */
  at(object: Value, path: readonly PathElement[]): Value | undefined {
    let value: Value | undefined = object
    for (const element of path) value = this.#below(value, element)
    return value
  }

  #below(value: Value | undefined, element: PathElement): Value | undefined {
    const name = element.slice(2)
    switch (element[0]) {
      case 'f':
        return isMap(value) ? own(value, name) : undefined
      case 'k': {
        const keys = Object.keys(parseJsonText(name) as ValueMap)
        return isList(value) ? this.#index(value, keys.join(), (item) => elementOf(item, keys)).get(element) : undefined
      }
      case 'v':
        return isList(value) ? this.#index(value, '', valueElement).get(element) : undefined
      default:
        return isList(value) ? value[Number(name)] : undefined
    }
  }

  #index(list: readonly Value[], by: string, element: (item: Value) => PathElement): Map<PathElement, Value> {
    const indexes = getOrInsert(this.#indexes, by, () => new WeakMap())
    return getOrInsert(indexes, list, () => new Map(list.map((item) => [element(item), item])))
  }
}

function elementOf(item: Value, keys: readonly string[]): PathElement {
  return keyElement(isMap(item) ? Object.fromEntries(keys.map((key) => [key, own(item, key) ?? null])) : {})
}
