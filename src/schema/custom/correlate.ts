// Finds the counterparts of list items in the stored list by their keys, in lists of type map. Items of other lists have no counterpart.
import { isMap, own, type Value } from '../../api/value.ts'
import type { Node } from './node.ts'

/** Returns a function that finds the stored item with the keys of an item. Undefined: items have no keys, or no list is stored. */
export function correlatedItem(
  node: Node,
  old: readonly Value[] | undefined,
): ((item: Value) => Value | undefined) | undefined {
  if (old === undefined || node.listType !== 'map' || node.mapKeys.length === 0) return undefined
  let byKeys: Map<string, Value> | undefined
  return (item) => {
    byKeys ??= new Map(
      old.flatMap((one): [string, Value][] => {
        const key = keysOf(node, one)
        return key === undefined ? [] : [[key, one]]
      }),
    )
    const key = keysOf(node, item)
    return key === undefined ? undefined : byKeys.get(key)
  }
}

/** The keys of an item as one text. Undefined: the item is not an object. An absent key counts as its default. */
export function keysOf(node: Node, item: Value): string | undefined {
  if (!isMap(item)) return undefined
  return identityOf(node.mapKeys.map((name) => own(item, name) ?? node.items?.properties?.get(name)?.default ?? null))
}

/** A text of the value. Two values have equal texts if and only if they are equal. The order of members does not count. */
export function identityOf(value: Value): string {
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${(value as readonly Value[]).map(identityOf).join()}]`
  const map = value as Readonly<Record<string, Value>>
  const members = Object.keys(map)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${identityOf(map[key] ?? null)}`)
  return `{${members.join()}}`
}
