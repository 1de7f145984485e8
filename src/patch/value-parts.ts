// All fields of a value, by its schema: the fields that a manager owns after it has added the whole value. Items of a list are usually
// alike, so equal sets of members are made once.
import { isList, isMap, type Value, type ValueMap } from '../api/value.ts'
import type { ListShape, Shape } from '../schema/table.ts'
import { EMPTY_SET, fieldElement, type FieldSet, type PathElement } from './field-set.ts'
import { elementAt, memberShape, structureOf } from './structure.ts'

/** The parts of the value, their parts, and so on, without the value itself. */
export function partsOf(shape: Shape, value: Value): FieldSet {
  return typeof value === 'object' && value !== null ? new Parts().of(shape, value) : EMPTY_SET
}

const NO_CHILDREN = EMPTY_SET.children

class Parts {
  /** Sets of members without children, by the names of the members. */
  readonly #flat = new Map<string, FieldSet>()

  of(shape: Shape, value: Value): FieldSet {
    switch (structureOf(shape, value)) {
      case 'members':
        return isMap(value) ? this.#members(shape, value) : EMPTY_SET
      case 'items':
        return shape.kind === 'list' && isList(value) ? this.#items(shape, value) : EMPTY_SET
      case 'leaf':
        return EMPTY_SET
    }
  }

  #members(shape: Shape, map: ValueMap): FieldSet {
    const names = Object.keys(map)
    if (names.length === 0) return EMPTY_SET
    let children: Map<PathElement, FieldSet> | undefined
    for (const name of names) {
      const value = map[name]!
      if (typeof value !== 'object' || value === null) continue
      const below = this.of(memberShape(shape, name), value)
      if (below !== EMPTY_SET) (children ??= new Map()).set(fieldElement(name), below)
    }
    // A map can have any names: only the names of structs recur.
    if (shape.kind !== 'object') return { members: elementsOf(names), children: children ?? NO_CHILDREN }
    const flat = this.#flatSet(names)
    return children === undefined ? flat : { members: flat.members, children }
  }

  #flatSet(names: readonly string[]): FieldSet {
    let key = ''
    for (const name of names) key += `${name.length}:${name}`
    let known = this.#flat.get(key)
    if (known === undefined) this.#flat.set(key, (known = { members: elementsOf(names), children: NO_CHILDREN }))
    return known
  }

  /** Items of the same identity are one part, and their own parts are left out. */
  #items(list: ListShape, items: readonly Value[]): FieldSet {
    if (items.length === 0) return EMPTY_SET
    const members = new Set<PathElement>()
    const children = new Map<PathElement, FieldSet>()
    let element: PathElement = ''
    for (const [i, item] of items.entries()) {
      const isAgain = i > 0 && item === items[i - 1] && list.listType === 'map'
      if (!isAgain) element = elementAt(list, item, i)
      if (members.has(element)) {
        children.delete(element)
        continue
      }
      members.add(element)
      const below = this.of(list.item, item)
      if (below !== EMPTY_SET) children.set(element, below)
    }
    return { members, children }
  }
}

function elementsOf(names: readonly string[]): ReadonlySet<PathElement> {
  const elements = new Set<PathElement>()
  for (const name of names) elements.add(fieldElement(name))
  return elements
}
