// Items of lists of type set or map must be unique (P-323). The whole object is checked at once.
import { type FaultList, faultsOf } from '../../api/fault-list.ts'
import { duplicate, type FieldError, invalid, shownJson } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { isList, isMap, own, setOwn, type Value } from '../../api/value.ts'
import { identityOf, keysOf } from './correlate.ts'
import type { Node } from './node.ts'

/** The faults of items that repeat an earlier item. */
export function repeatedItems(node: Node, value: Value): readonly FieldError[] {
  return faultsOf((errors) => visit(node, value, { at: undefined, errors }))
}

interface Place {
  /** Undefined: the whole object. */
  readonly at: FieldPath | undefined
  readonly errors: FaultList
}

function visit(node: Node, value: Value, { at, errors }: Place): void {
  if (!node.hasKeyedLists) return
  if (isMap(value)) {
    for (const key of Object.keys(value)) {
      const property = node.properties?.get(key)
      const inner = property ?? node.additional
      if (inner === undefined || inner === 'any') continue
      const place = property === undefined ? at?.key(key) : at?.child(key)
      visit(inner, value[key] ?? null, { at: place ?? FieldPath.root(key), errors })
    }
    return
  }
  if (!isList(value) || at === undefined) return
  if (node.listType !== 'atomic') checkList(node, value, { at, errors })
  const { items } = node
  if (items?.hasKeyedLists !== true) return
  for (const [i, item] of value.entries()) visit(items, item, { at: at.index(i), errors })
}

function checkList(
  node: Node,
  list: readonly Value[],
  { at, errors }: { readonly at: FieldPath; readonly errors: FaultList },
): void {
  if (node.listType === 'map') {
    const odd = list.findIndex((item) => item !== null && !isMap(item))
    if (odd >= 0) {
      errors.add(invalid(at.index(odd), shownJson(list[odd]), 'must be an object for an array of list-type map'))
      return
    }
  }
  const counts = new Map<string, number>()
  for (const [i, item] of list.entries()) {
    const key = node.listType === 'set' ? identityOf(item) : keysOf(node, item)
    if (key === undefined) continue
    const before = counts.get(key) ?? 0
    counts.set(key, before + 1)
    // A third occurrence is not reported again.
    if (before === 1) errors.add(duplicate(at.index(i), node.listType === 'set' ? item : shownKeys(node, item)))
  }
}

/** Only the keys of the item, sorted by name. */
function shownKeys(node: Node, item: Value): ReturnType<typeof shownJson> {
  const keys: Record<string, Value> = {}
  for (const name of node.mapKeys.toSorted()) {
    const value = isMap(item) ? own(item, name) : undefined
    if (value !== undefined) setOwn(keys, name, value)
  }
  return shownJson(keys)
}
