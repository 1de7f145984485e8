// The parts of a value by its schema: its members, its items if they have an identity, or no parts.
import { isList, isMap, own, type Value, type ValueMap } from '../api/value.ts'
import { isTypeMeta } from '../schema/source-parts.ts'
import type { ListShape, Shape } from '../schema/table.ts'
import { type PathElement, scalarText, singleKeyElement, valueElement } from './field-set.ts'

/** The kind of parts: none (a leaf), members (`memberShape`), or the items of a list. */
export type Structure = 'leaf' | 'members' | 'items'

const ANY: Shape = Object.freeze({ kind: 'any' })
const TEXT: Shape = Object.freeze({ kind: 'string' })

/** The kind of parts of a value. Without a schema, the parts of a map are its members, and a list has no parts. */
export function structureOf(shape: Shape, value: Value | undefined): Structure {
  switch (shape.kind) {
    case 'object':
    case 'map':
      return shape.mapType === 'atomic' ? 'leaf' : 'members'
    case 'list':
      return shape.listType === 'atomic' ? 'leaf' : 'items'
    case 'any':
      return isMap(value) ? 'members' : 'leaf'
    default:
      return 'leaf'
  }
}

/** The shape of a member of a value whose parts are members. */
export function memberShape(shape: Shape, name: string): Shape {
  switch (shape.kind) {
    case 'object':
      return shape.byName.get(name)?.shape ?? (isTypeMeta(shape, name) ? TEXT : ANY)
    case 'map':
      return shape.value
    default:
      return ANY
  }
}

/** Whether the name is a field of a struct, not a key of a map. */
export function isNamed(shape: Shape, name: string): boolean {
  return shape.kind === 'object' && shape.byName.has(name)
}

/** The element that identifies a list item, or the reason why the item has no element. */
export function itemElement(list: ListShape, item: Value): PathElement | { readonly problem: string } {
  if (list.listType === 'set') {
    if (isMap(item)) return { problem: "associative list without keys has an element that's a map type" }
    if (isList(item)) return { problem: "associative list without keys has an element that's a list type" }
    return valueElement(item)
  }
  if (!isMap(item)) {
    return {
      problem:
        item === null
          ? 'associative list with keys may not have a null element'
          : 'associative list with keys may not have non-map elements',
    }
  }
  const [first] = list.keys
  if (list.keys.length === 1 && first !== undefined) {
    const value = own(item, first) ?? keyDefault(list, first)
    if (value !== undefined) return singleKeyElement(first, value)
  }
  const element = keysElement(list, item)
  if (element === undefined) {
    const names = list.keys.map((name) => JSON.stringify(name)).join(' ')
    return {
      problem: `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
    }
  }
  return element
}

/** Undefined: the item has none of the keys. */
function keysElement(list: ListShape, item: ValueMap): PathElement | undefined {
  let text = ''
  for (const name of list.keys.toSorted()) {
    const value = own(item, name) ?? keyDefault(list, name)
    if (value !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${scalarText(value)}`
  }
  return text === '' ? undefined : `k:{${text}}`
}

function keyDefault(list: ListShape, name: string): Value | undefined {
  return list.item.kind === 'object' ? list.item.byName.get(name)?.default : undefined
}

/** Whether two items have the same element. May return false for equal keys in different spellings. */
export function isSameItem(list: ListShape, one: Value, other: Value): boolean {
  if (one === other) return true
  if (list.listType === 'set' || !isMap(one) || !isMap(other)) return false
  for (const key of list.keys) {
    if ((own(one, key) ?? keyDefault(list, key)) !== (own(other, key) ?? keyDefault(list, key))) return false
  }
  return true
}

/** The element of the item. For an item without an identity, the element is the index. */
export function elementAt(list: ListShape, item: Value, index: number): PathElement {
  const element = itemElement(list, item)
  return typeof element === 'string' ? element : `i:${index}`
}

/** The items by their element. Several items of one element are duplicates, and are treated as one unit. */
export function groupItems(
  list: ListShape,
  items: readonly Value[],
  elements: readonly PathElement[] = items.map((item, index) => elementAt(list, item, index)),
): Map<PathElement, Value[]> {
  return Map.groupBy(items, (_, index) => elements[index]!)
}
