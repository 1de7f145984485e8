// Walking values by their schema: the set of fields a value has, and how two values differ field by field.
import type { Value, ValueMap } from '../api/value.ts'
import { equalValues, isList, isMap, own } from '../api/value.ts'
import type { ListShape, Shape } from '../schema/table.ts'
import type { FieldSet, PathElement } from './field-set.ts'
import { FieldSetBuilder, fieldElement, keyElement, singleKeyElement, valueElement } from './field-set.ts'

/** How a value is taken apart: as one leaf, by members, or by list items. */
export type Structure =
  | { readonly kind: 'leaf' }
  | { readonly kind: 'members'; readonly member: (name: string) => Member }
  | { readonly kind: 'items'; readonly list: ListShape }

export interface Member {
  readonly shape: Shape
  /** A field of a struct, not a key of a map. */
  readonly named: boolean
}

const LEAF: Structure = Object.freeze({ kind: 'leaf' })
const ANY: Shape = Object.freeze({ kind: 'any' })
const FREE_FORM: Structure = Object.freeze({ kind: 'members', member: () => ({ shape: ANY, named: false }) })

/** Values without a schema are taken apart by their own form: maps by members, lists whole. */
export function structureOf(shape: Shape, value: Value | undefined): Structure {
  switch (shape.kind) {
    case 'object':
      if (shape.mapType === 'atomic') return LEAF
      return {
        kind: 'members',
        member: (name) => {
          const field = shape.byName.get(name)
          if (field !== undefined) return { shape: field.shape, named: true }
          return { shape: shape.typeMeta && (name === 'kind' || name === 'apiVersion') ? TEXT : ANY, named: false }
        },
      }
    case 'map':
      return shape.mapType === 'atomic'
        ? LEAF
        : { kind: 'members', member: () => ({ shape: shape.value, named: false }) }
    case 'list':
      return shape.listType === 'atomic' ? LEAF : { kind: 'items', list: shape }
    case 'any':
      return isMap(value) ? FREE_FORM : LEAF
    default:
      return LEAF
  }
}

const TEXT: Shape = Object.freeze({ kind: 'string' })

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
  if (structure.kind === 'leaf') return true
  if (structure.kind === 'members') {
    if (!isMap(value)) return value === null
    for (const name of Object.keys(value)) {
      const member = structure.member(name)
      const child = value[name]!
      const element = fieldElement(name)
      const isLeaf = typeof child !== 'object' || collectBelow(member.shape, child, into, element)
      if (isLeaf || !member.named || isEmptyMap(child)) into.members.add(element)
    }
    return false
  }
  if (!isList(value)) return value === null
  value.forEach((item, index) => {
    const element = elementAt(structure.list, item, index)
    collectBelow(structure.list.item, item, into, element)
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
    return this.builder(difference).build()
  }
}

function compareValues(shape: Shape, before: Value | undefined, after: Value | undefined, level: Level): void {
  if (before === after) return
  const structure = structureOf(shape, after ?? before)
  const descended =
    structure.kind === 'members'
      ? compareMembers(structure.member, before, after, level)
      : structure.kind === 'items' && compareItems(structure.list, before, after, level)
  if (before === undefined) level.mark('added')
  else if (after === undefined) level.mark('removed')
  else if (!descended && !equalValues(before, after)) level.mark('modified')
}

function compareMembers(
  member: (name: string) => Member,
  before: Value | undefined,
  after: Value | undefined,
  level: Level,
): boolean {
  const [left, right] = [membersOf(before), membersOf(after)]
  if (left === undefined || right === undefined) return false
  let count = 0
  for (const name of Object.keys(right)) {
    count++
    const [old, now] = [own(left, name), right[name]]
    if (old !== now) compareValues(member(name).shape, old, now, new Level(level, fieldElement(name)))
  }
  for (const name of Object.keys(left)) {
    count++
    if (Object.hasOwn(right, name)) continue
    compareValues(member(name).shape, left[name], undefined, new Level(level, fieldElement(name)))
  }
  return count > 0
}

function compareItems(list: ListShape, before: Value | undefined, after: Value | undefined, level: Level): boolean {
  const [left, right] = [itemsOf(before), itemsOf(after)]
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
  const elements = new Set<PathElement>()
  for (let i = 0; i < right.length; i++) {
    const element = elementAt(list, right[i]!, i)
    if (left[i] !== right[i] && elementAt(list, left[i]!, i) !== element) return false
    elements.add(element)
  }
  if (elements.size !== right.length) return false
  let i = 0
  for (const element of elements) {
    if (left[i] !== right[i]) compareValues(list.item, left[i], right[i], new Level(level, element))
    i++
  }
  return true
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
