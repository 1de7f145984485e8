// Merges an applied value into a live value by their schema, and removes fields from a value by its schema.
import { equalValues, isList, isMap, own, setOwn, type Value, type ValueMap } from '../api/value.ts'
import type { ListShape, Shape } from '../schema/table.ts'
import { EMPTY_SET, fieldElement, type FieldSet, isEmptySet, type PathElement } from './field-set.ts'
import { elementAt, groupItems, isNamed, isSameItem, memberShape, structureOf } from './structure.ts'

/**
 * The live value with all fields of the applied one, which fits the shape. Other fields of the live value stay. If nothing changes,
 * the live value itself is returned, so that later steps can skip it.
 */
export function merge(shape: Shape, live: Value | undefined, applied: Value | undefined): Value | undefined {
  if (applied === undefined) return live
  if (live === undefined || live === null) return applied
  const structure = structureOf(shape, applied)
  if (structure === 'members' && isMap(live) && (isMap(applied) || applied === null)) {
    return mergeMembers(shape, live, applied ?? {}) ?? applied
  }
  if (structure === 'items' && shape.kind === 'list' && isList(live) && (isList(applied) || applied === null)) {
    if (live.length === 0) return applied
    return sameItems(live, mergeItems(shape, live, applied ?? []))
  }
  return typeof applied === 'object' && equalValues(live, applied) ? live : applied
}

function sameItems(live: readonly Value[], merged: readonly Value[]): readonly Value[] {
  return live.length === merged.length && live.every((item, index) => item === merged[index]) ? live : merged
}

function mergeMembers(shape: Shape, live: ValueMap, applied: ValueMap): ValueMap | undefined {
  let result: Record<string, Value> | undefined
  for (const name of Object.keys(applied)) {
    const before = own(live, name)
    if (before === applied[name]) continue
    const value = merge(memberShape(shape, name), before, applied[name])
    if (value === before || value === undefined) continue
    result ??= { ...live }
    setOwn(result, name, value)
  }
  const merged = result ?? live
  return Object.keys(merged).length === 0 ? undefined : merged
}

/**
 * Applied items keep the applied order. Items that only the live list has keep their place relative to the shared items. Duplicates in the
 * live list are one unit: an applied item replaces them all.
 */
function mergeItems(list: ListShape, live: readonly Value[], applied: readonly Value[]): readonly Value[] {
  if (isOneOrder(list, live, applied)) return live.map((item, i) => merge(list.item, item, applied[i])!)
  const liveElements = live.map((item, index) => elementAt(list, item, index))
  const appliedElements = applied.map((item, index) => elementAt(list, item, index))
  const liveGroups = groupItems(list, live, liveElements)
  const appliedItems = new Map(appliedElements.map((element, index) => [element, applied[index]!]))
  const shared = appliedElements.filter((element) => liveGroups.has(element))
  const taken = new Set<PathElement>()
  const result: Value[] = []
  let [l, r, nextShared] = [0, 0, 0]

  const takeApplied = (element: PathElement): void => {
    taken.add(element)
    const group = liveGroups.get(element)
    const item = merge(list.item, group?.length === 1 ? group[0] : undefined, appliedItems.get(element))
    if (item !== undefined) result.push(item)
    if (shared[nextShared] === element) nextShared++
    r++
  }

  while (l < liveElements.length || r < appliedElements.length) {
    const [fromLive, fromApplied] = [liveElements[l], appliedElements[r]]
    if (fromLive === undefined) {
      takeApplied(fromApplied!)
    } else if (!appliedItems.has(fromLive)) {
      result.push(live[l]!)
      l++
    } else if (fromApplied === undefined) {
      l++
    } else if (fromLive === fromApplied) {
      takeApplied(fromApplied)
      l++
    } else if (shared[nextShared] !== undefined && shared[nextShared] !== fromLive) {
      // The live item is shared, but is not the next shared item of the applied order. It is added at its applied place.
      l++
    } else {
      if (taken.has(fromLive)) l++
      takeApplied(fromApplied)
    }
  }
  return result
}

/** Whether both lists have the same items in the same order. This is usual if a document is applied again. */
function isOneOrder(list: ListShape, live: readonly Value[], applied: readonly Value[]): boolean {
  return live.length === applied.length && live.every((item, i) => isSameItem(list, item, applied[i]!))
}

/** The value without the fields of the set. A map or list that loses all its members or items becomes null, as if it had been unset. */
export function removeFields(shape: Shape, value: Value, remove: FieldSet): Value {
  if (isEmptySet(remove)) return value
  const structure = structureOf(shape, value)
  if (structure === 'members' && isMap(value)) {
    const result: Record<string, Value> = {}
    let size = 0
    for (const name of Object.keys(value)) {
      const element = fieldElement(name)
      if (remove.members.has(element)) continue
      const below = remove.children.get(element)
      const rest = below === undefined ? value[name]! : removeFields(memberShape(shape, name), value[name]!, below)
      setOwn(result, name, rest)
      size++
    }
    return size === 0 ? null : result
  }
  if (structure === 'items' && shape.kind === 'list' && isList(value)) {
    const result: Value[] = []
    value.forEach((item, index) => {
      const element = elementAt(shape, item, index)
      if (remove.members.has(element)) return
      const below = remove.children.get(element)
      result.push(below === undefined ? item : removeFields(shape.item, item, below))
    })
    return result.length === 0 ? null : result
  }
  return structure === 'leaf' ? null : value
}

/** The set, and all struct fields on the paths to its members. */
export function withStructsAsMembers(set: FieldSet, shape: Shape | undefined): FieldSet {
  if (shape === undefined || isEmptySet(set)) return set
  const members = new Set(set.members)
  const children = new Map<PathElement, FieldSet>()
  for (const [element, below] of set.children) {
    let childShape: Shape | undefined
    if (element.startsWith('f:')) {
      if (structureOf(shape, {}) === 'members') {
        const name = element.slice(2)
        childShape = memberShape(shape, name)
        if (isNamed(shape, name)) members.add(element)
      }
    } else if (shape.kind === 'list') {
      childShape = shape.item
    }
    children.set(element, withStructsAsMembers(below, childShape))
  }
  return { members, children }
}

/**
 * The set adapted to a changed schema, or the set itself if it fits. If a node has become atomic, the node replaces the paths below it. If
 * a node was atomic and has become granular, it stays in the set without its parts.
 */
export function reconcileWithSchema(set: FieldSet, shape: Shape): FieldSet {
  if (isEmptySet(set)) return set
  const atomic: PathElement[] = []
  const children = new Map<PathElement, FieldSet>()
  let isSame = true
  for (const [element, below] of set.children) {
    const childShape = shapeBelow(shape, element)
    const isWhole = childShape !== undefined && isAtomic(childShape)
    if (isWhole) atomic.push(element)
    const rest = childShape === undefined || isWhole ? EMPTY_SET : reconcileWithSchema(below, childShape)
    if (rest !== below) isSame = false
    if (!isEmptySet(rest)) children.set(element, rest)
  }
  if (isSame) return set
  const result = { members: set.members.union(new Set(atomic)), children }
  return isEmptySet(result) ? EMPTY_SET : result
}

function shapeBelow(shape: Shape, element: PathElement): Shape | undefined {
  const structure = structureOf(shape, {})
  if (structure === 'members' && element.startsWith('f:')) return memberShape(shape, element.slice(2))
  return structure === 'items' && shape.kind === 'list' ? shape.item : undefined
}

function isAtomic(shape: Shape): boolean {
  switch (shape.kind) {
    case 'object':
    case 'map':
      return shape.mapType === 'atomic'
    case 'list':
      return shape.listType === 'atomic'
    default:
      return false
  }
}
