// Walking values by their schema: the set of fields a value has, and how two values differ field by field.
import type { Value, ValueMap } from '../api/value.ts'
import { equalValues, isList, isMap, own } from '../api/value.ts'
import type { ListShape, ObjectShape, Shape } from '../schema/table.ts'
import type { FieldSet, PathElement } from './field-set.ts'
import { EMPTY_SET, FieldSetBuilder, fieldElement, keyElement, singleKeyElement, valueElement } from './field-set.ts'

/** How a value is taken apart: as one leaf, by members (`memberShape`), or by the items of its list. */
export type Structure = 'leaf' | 'members' | 'items'

const ANY: Shape = Object.freeze({ kind: 'any' })
const TEXT: Shape = Object.freeze({ kind: 'string' })

/** Values without a schema are taken apart by their own form: maps by members, lists whole. */
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

/** The shape of a member of what is taken apart by members. */
export function memberShape(shape: Shape, name: string): Shape {
  switch (shape.kind) {
    case 'object':
      return shape.byName.get(name)?.shape ?? (isTypeMember(shape, name) ? TEXT : ANY)
    case 'map':
      return shape.value
    default:
      return ANY
  }
}

function isTypeMember(shape: ObjectShape, name: string): boolean {
  return shape.typeMeta && (name === 'kind' || name === 'apiVersion')
}

/** Whether it is a field of a struct, not a key of a map. */
export function isNamed(shape: Shape, name: string): boolean {
  return shape.kind === 'object' && shape.byName.has(name)
}

/** The element that identifies a list item, or why it has none. */
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
  const keys: Record<string, Value> = {}
  for (const name of list.keys) {
    const value = own(item, name) ?? keyDefault(list, name)
    if (value !== undefined) keys[name] = value
  }
  if (Object.keys(keys).length === 0) {
    const names = list.keys.map((name) => JSON.stringify(name)).join(' ')
    return {
      problem: `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
    }
  }
  return keyElement(keys)
}

function keyDefault(list: ListShape, name: string): Value | undefined {
  return list.item.kind === 'object' ? list.item.byName.get(name)?.default : undefined
}

/** Whether two items have the same element. Where the keys of both are alike in another spelling it may say no. */
export function isSameItem(list: ListShape, one: Value, other: Value): boolean {
  if (one === other) return true
  if (list.listType === 'set' || !isMap(one) || !isMap(other)) return false
  for (const key of list.keys) {
    if ((own(one, key) ?? keyDefault(list, key)) !== (own(other, key) ?? keyDefault(list, key))) return false
  }
  return true
}

/** The item's element where it has one; items without an identity are told apart by their place. */
export function elementAt(list: ListShape, item: Value, index: number): PathElement {
  const element = itemElement(list, item)
  return typeof element === 'string' ? element : `i:${index}`
}

/** Every field that the value sets: leaves, list items, keys of maps, and empty or null members. */
export function fieldsOf(shape: Shape, value: Value): FieldSet {
  const builder = new FieldSetBuilder()
  collect(shape, value, builder)
  return builder.build()
}

/** Adds what lies below `value`; returns whether the value itself is a leaf that its parent has to record. */
function collect(shape: Shape, value: Value, into: FieldSetBuilder): boolean {
  const structure = structureOf(shape, value)
  if (structure === 'members') {
    if (!isMap(value)) return value === null
    for (const name of Object.keys(value)) {
      const child = value[name]!
      const element = fieldElement(name)
      const isLeaf = typeof child !== 'object' || collectBelow(memberShape(shape, name), child, into, element)
      if (isLeaf || !isNamed(shape, name) || isEmptyMap(child)) into.members.add(element)
    }
    return false
  }
  if (structure === 'leaf' || shape.kind !== 'list') return true
  if (!isList(value)) return value === null
  value.forEach((item, index) => {
    const element = elementAt(shape, item, index)
    collectBelow(shape.item, item, into, element)
    into.members.add(element)
  })
  return false
}

function collectBelow(shape: Shape, value: Value, into: FieldSetBuilder, element: PathElement): boolean {
  return collect(shape, value, into.child(element))
}

function isEmptyMap(value: Value): boolean {
  return value === null || (isMap(value) && Object.keys(value).length === 0)
}

export interface Comparison {
  readonly added: FieldSet
  readonly modified: FieldSet
  readonly removed: FieldSet
}

/** How `after` differs from `before`. A struct, map or item that appears or goes is itself among the added or removed. */
export function compare(shape: Shape, before: Value, after: Value): Comparison {
  const root = new Level(undefined, '')
  compareValues(shape, before, after, root)
  return { added: root.built('added'), modified: root.built('modified'), removed: root.built('removed') }
}

type Difference = keyof Comparison

/**
 * A node on the way down. Its sets are made where something is found below it, so that what is the same costs nothing, and
 * what is different is put where it belongs without walking down to it again.
 */
class Level {
  readonly #parent: Level | undefined
  readonly #element: PathElement
  #added: FieldSetBuilder | undefined
  #modified: FieldSetBuilder | undefined
  #removed: FieldSetBuilder | undefined

  constructor(parent: Level | undefined, element: PathElement) {
    this.#parent = parent
    this.#element = element
  }

  /** Marks the node itself; the object as a whole is never marked. */
  mark(difference: Difference): void {
    this.#parent?.builder(difference).members.add(this.#element)
  }

  builder(difference: Difference): FieldSetBuilder {
    switch (difference) {
      case 'added':
        return (this.#added ??= this.#make(difference))
      case 'modified':
        return (this.#modified ??= this.#make(difference))
      case 'removed':
        return (this.#removed ??= this.#make(difference))
    }
  }

  #make(difference: Difference): FieldSetBuilder {
    return this.#parent === undefined ? new FieldSetBuilder() : this.#parent.builder(difference).child(this.#element)
  }

  built(difference: Difference): FieldSet {
    switch (difference) {
      case 'added':
        return this.#added?.build() ?? EMPTY_SET
      case 'modified':
        return this.#modified?.build() ?? EMPTY_SET
      case 'removed':
        return this.#removed?.build() ?? EMPTY_SET
    }
  }
}

function compareValues(shape: Shape, before: Value | undefined, after: Value | undefined, level: Level): void {
  if (before === after) return
  if (shape.kind === 'any' && isOtherForm(before ?? null, after ?? null)) {
    compareMembers(shape, { before: partsIn(before), after: partsIn(after) }, level)
    level.mark('modified')
    return
  }
  const structure = structureOf(shape, after ?? before)
  const descended =
    structure === 'members'
      ? compareMembers(shape, { before, after }, level)
      : structure === 'items' && shape.kind === 'list' && compareItems(shape, { before, after }, level)
  if (before === undefined) level.mark('added')
  else if (after === undefined) level.mark('removed')
  else if (!descended && !equalValues(before, after)) level.mark('modified')
}

/** Of what has no schema: a map has become something without members, or the other way round. */
function isOtherForm(before: Value, after: Value): boolean {
  return before !== null && after !== null && isMap(before) !== isMap(after)
}

function partsIn(value: Value | undefined): ValueMap | undefined {
  return isMap(value) ? value : undefined
}

interface Compared {
  readonly before: Value | undefined
  readonly after: Value | undefined
}

function compareMembers(shape: Shape, { before, after }: Compared, level: Level): boolean {
  const left = membersOf(before)
  const right = membersOf(after)
  if (left === undefined || right === undefined) return false
  const oldNames = Object.keys(left)
  const newNames = Object.keys(right)
  let inBoth = 0
  for (const name of newNames) {
    const old = own(left, name)
    const now = right[name]
    if (old !== undefined) inBoth++
    if (old !== now) compareValues(memberShape(shape, name), old, now, new Level(level, fieldElement(name)))
  }
  if (inBoth < oldNames.length) {
    for (const name of oldNames) {
      if (Object.hasOwn(right, name)) continue
      compareValues(memberShape(shape, name), left[name], undefined, new Level(level, fieldElement(name)))
    }
  }
  return oldNames.length + newNames.length > 0
}

function compareItems(list: ListShape, { before, after }: Compared, level: Level): boolean {
  const left = itemsOf(before)
  const right = itemsOf(after)
  if (left === undefined || right === undefined || left.length + right.length === 0) return false
  if (comparePairs(list, { left, right }, level)) return true
  const [leftItems, rightItems] = [groupItems(list, left), groupItems(list, right)]
  for (const element of new Set([...leftItems.keys(), ...rightItems.keys()])) {
    const [old, now] = [leftItems.get(element) ?? NO_ITEMS, rightItems.get(element) ?? NO_ITEMS]
    const below = new Level(level, element)
    if (old.length <= 1 && now.length <= 1) compareValues(list.item, old[0], now[0], below)
    else if (old.length === 0) below.mark('added')
    else if (now.length === 0) below.mark('removed')
    else if (!equalValues(old, now)) below.mark('modified')
  }
  return true
}

interface ItemLists {
  readonly left: readonly Value[]
  readonly right: readonly Value[]
}

/** Lists mostly keep their items in their places, each once: then they are compared pair by pair. False where they do not. */
function comparePairs(list: ListShape, { left, right }: ItemLists, level: Level): boolean {
  if (left.length !== right.length) return false
  for (let i = 0; i < right.length; i++) if (!isSameItem(list, left[i]!, right[i]!)) return false
  if (!areAllDifferent(list, right)) return false
  for (let i = 0; i < right.length; i++) {
    if (left[i] === right[i]) continue
    compareValues(list.item, left[i], right[i], new Level(level, elementAt(list, right[i]!, i)))
  }
  return true
}

/** Whether no two items have the same element. It may say no of items that have a name in common with other keys. */
function areAllDifferent(list: ListShape, items: readonly Value[]): boolean {
  const seen = new Set<Value>()
  for (let i = 0; i < items.length; i++) seen.add(shortIdentity(list, items[i]!, i))
  return seen.size === items.length
}

/** The one key of an item as it is, where it has one that is a text, or the element: much cheaper than always the element. */
function shortIdentity(list: ListShape, item: Value, index: number): Value {
  const [first] = list.keys
  const key = list.keys.length === 1 && first !== undefined && isMap(item) ? own(item, first) : undefined
  return typeof key === 'string' ? key : elementAt(list, item, index)
}

const NO_ITEMS: readonly Value[] = []

/** Null and absence have no members; a value of another form has none that could be compared. */
function membersOf(value: Value | undefined): ValueMap | undefined {
  if (value === undefined || value === null) return {}
  return isMap(value) ? value : undefined
}

function itemsOf(value: Value | undefined): readonly Value[] | undefined {
  if (value === undefined || value === null) return []
  return isList(value) ? value : undefined
}

/** The items by their element; more than one under an element are duplicates that are treated as one unit. */
export function groupItems(
  list: ListShape,
  items: readonly Value[],
  elements: readonly PathElement[] = items.map((item, index) => elementAt(list, item, index)),
): Map<PathElement, Value[]> {
  const groups = new Map<PathElement, Value[]>()
  items.forEach((item, index) => {
    const element = elements[index]!
    const group = groups.get(element)
    if (group === undefined) groups.set(element, [item])
    else group.push(item)
  })
  return groups
}
