// Defaults of a custom kind (P-327). The default replaces a null member that the schema does not allow. Without a default, the null member
// is dropped. If nothing changes, which is usual, the same object is returned.
import { isList, isMap, setOwn, type Value, type ValueMap } from '../../api/value.ts'
import type { Node } from './node.ts'

const IMPLIED: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata'])

function fill(value: Value, node: Node): Value {
  if (isMap(value)) return fillDefaults(value, node, false)
  return isList(value) && node.items !== undefined ? fillList(value, node.items) : value
}

/** The object with all defaults of its schema, from the top down, and without null members that its schema does not allow. */
export function fillDefaults(map: ValueMap, node: Node, isRoot = true): ValueMap {
  const { properties, additional } = node
  if (properties === undefined && (additional === undefined || additional === 'any')) return map
  let out: Record<string, Value> | undefined
  const begin = (): Record<string, Value> => (out ??= copyOf(map))
  for (const key of Object.keys(map)) {
    const inner = properties?.get(key) ?? (additional === 'any' ? undefined : additional)
    if (inner === undefined || (isRoot && IMPLIED.has(key))) continue
    const value = map[key] ?? null
    if (isDisallowedNull(value, inner)) {
      if (inner.default === undefined) delete begin()[key]
      else setOwn(begin(), key, fill(inner.default, inner))
      continue
    }
    if (typeof value !== 'object' || value === null) continue
    const filled = fill(value, inner)
    if (filled !== value) setOwn(begin(), key, filled)
  }
  if (node.hasDefaults && properties !== undefined) {
    for (const [name, property] of properties) {
      if (property.default === undefined || Object.hasOwn(map, name)) continue
      setOwn(begin(), name, fill(property.default, property))
    }
  }
  return out ?? map
}

function fillList(list: readonly Value[], items: Node): readonly Value[] {
  let out: Value[] | undefined
  for (const [i, item] of list.entries()) {
    const value = isDisallowedNull(item, items) ? (items.default ?? null) : item
    const filled = fill(value, items)
    if (filled === item) continue
    out ??= [...list]
    out[i] = filled
  }
  return out ?? list
}

function isDisallowedNull(value: Value, node: Node): boolean {
  return value === null && !node.nullable
}

function copyOf(map: ValueMap): Record<string, Value> {
  const out: Record<string, Value> = {}
  for (const key of Object.keys(map)) setOwn(out, key, map[key] ?? null)
  return out
}
