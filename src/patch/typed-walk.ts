// Walks values by their schema: finds the set of fields of a value, and the differences between two values, field by field.
import { equalValues, isList, isMap, own, type Value, type ValueMap } from '../api/value.ts'
import type { ListShape, Shape } from '../schema/table.ts'
import { EMPTY_SET, fieldElement, type FieldSet, FieldSetBuilder, type PathElement } from './field-set.ts'
import { elementAt, groupItems, isNamed, isSameItem, memberShape, structureOf } from './structure.ts'
import { partsOf } from './value-parts.ts'

/** Every field that the value sets: leaves, list items, keys of maps, and empty or null members. */
export function fieldsOf(shape: Shape, value: Value): FieldSet {
  const builder = new FieldSetBuilder()
  collect(shape, value, builder)
  return builder.build()
}

/** Adds the paths below `value`. Returns whether the value itself is a leaf that its parent must record. */
function collect(shape: Shape, value: Value, into: FieldSetBuilder): boolean {
  const structure = structureOf(shape, value)
  if (structure === 'members') {
    if (!isMap(value)) return value === null
    for (const name of Object.keys(value)) {
      const child = value[name]!
      const element = fieldElement(name)
      const isLeaf = typeof child !== 'object' || collectBelow(memberShape(shape, name), child, into, element)
      if (isLeaf || !isNamed(shape, name) || isEmptyMap(child)) into.add(element)
    }
    return false
  }
  if (structure === 'leaf' || shape.kind !== 'list') return true
  if (!isList(value)) return value === null
  value.forEach((item, index) => {
    const element = elementAt(shape, item, index)
    collectBelow(shape.item, item, into, element)
    into.add(element)
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

/**
 * The differences of `after` from `before`. If a struct, map or item appears or disappears, its own path is in `added` or `removed` too.
 */
export function compare(shape: Shape, before: Value, after: Value): Comparison {
  const root = new Level(undefined, '')
  compareValues(shape, before, after, root)
  return { added: root.built('added'), modified: root.built('modified'), removed: root.built('removed') }
}

type Difference = keyof Comparison

/**
 * A node of the walk. Its sets are made when the first difference in it is found. So equal parts cost nothing, and differences are recorded
 * without another walk.
 */
class Level {
  readonly #parent: Level | undefined
  readonly #element: PathElement
  added: FieldSetBuilder | undefined
  modified: FieldSetBuilder | undefined
  removed: FieldSetBuilder | undefined

  constructor(parent: Level | undefined, element: PathElement) {
    this.#parent = parent
    this.#element = element
  }

  /** Marks the node itself. The object as a whole is never marked. */
  mark(difference: Difference): void {
    this.#parent?.builder(difference).add(this.#element)
  }

  /** Marks the node and everything in it. */
  markWhole(difference: Difference, parts: FieldSet): void {
    this.mark(difference)
    this.fill(difference, parts)
  }

  /** Marks everything in the node. Nothing else may be marked in it. */
  fill(difference: Difference, parts: FieldSet): void {
    this.#parent?.builder(difference).put(this.#element, parts)
  }

  builder(difference: Difference): FieldSetBuilder {
    return (this[difference] ??= this.#parent?.builder(difference).child(this.#element) ?? new FieldSetBuilder())
  }

  built(difference: Difference): FieldSet {
    return this[difference]?.build() ?? EMPTY_SET
  }
}

function compareValues(shape: Shape, before: Value | undefined, after: Value | undefined, level: Level): void {
  if (before === after) return
  if (before === undefined && after !== undefined) return level.markWhole('added', partsOf(shape, after))
  if (after === undefined && before !== undefined) return level.markWhole('removed', partsOf(shape, before))
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
  if (!descended && !equalValues(before, after)) level.mark('modified')
}

/** Whether a map has become a value without members, or the other way round. Only a value without a schema can change like this. */
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
  if (left.length === 0 || right.length === 0) {
    level.fill(left.length === 0 ? 'added' : 'removed', partsOf(list, left.length === 0 ? right : left))
    return true
  }
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

/** Compares lists pair by pair, which is enough for most lists. Returns false if items have moved, or occur twice. */
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

/** Whether no two items have the same element. May return false if the key of an item is equal to the path element of another. */
function areAllDifferent(list: ListShape, items: readonly Value[]): boolean {
  const seen = new Set<Value>()
  for (let i = 0; i < items.length; i++) seen.add(shortIdentity(list, items[i]!, i))
  return seen.size === items.length
}

/** The only key of an item if it is a text. Otherwise the path element, which costs much more. */
function shortIdentity(list: ListShape, item: Value, index: number): Value {
  const [first] = list.keys
  const key = list.keys.length === 1 && first !== undefined && isMap(item) ? own(item, first) : undefined
  return typeof key === 'string' ? key : elementAt(list, item, index)
}

const NO_ITEMS: readonly Value[] = []

/** The members of a value. Null and an absent value have no members. Undefined: the value is not a map. */
function membersOf(value: Value | undefined): ValueMap | undefined {
  if (value === undefined || value === null) return {}
  return isMap(value) ? value : undefined
}

function itemsOf(value: Value | undefined): readonly Value[] | undefined {
  if (value === undefined || value === null) return []
  return isList(value) ? value : undefined
}
