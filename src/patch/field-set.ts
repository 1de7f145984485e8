// Sets of field paths, such as the fields that a manager owns. A set is a trie whose edges are path elements in their FieldsV1 spelling
// (`f:name`, `k:{"name":"a"}`, `v:"x"`, `i:0`), so that equal elements are equal strings. Sets are never changed in place.
import { parseJsonText } from '../api/json-text.ts'
import type { Value, ValueMap } from '../api/value.ts'

/** One step of a path, as FieldsV1 spells it. */
export type PathElement = string

export interface FieldSet {
  /** The FieldsV1 form of the set, if it is known and this server made it. The set is written in this form. */
  readonly written?: ValueMap
  /** The elements at which a path of the set ends. */
  readonly members: ReadonlySet<PathElement>
  /** The sets below the elements. None of them is empty. */
  readonly children: ReadonlyMap<PathElement, FieldSet>
}

const NO_MEMBERS: ReadonlySet<PathElement> = new Set<string>()
const NO_CHILDREN: ReadonlyMap<PathElement, FieldSet> = new Map<string, FieldSet>()
export const EMPTY_SET: FieldSet = Object.freeze({ members: NO_MEMBERS, children: NO_CHILDREN })

export function isEmptySet(set: FieldSet): boolean {
  return set.members.size === 0 && set.children.size === 0
}

export function fieldElement(name: string): PathElement {
  return `f:${name}`
}

/** The element of a list item that key fields identify. The keys are sorted by name. */
export function keyElement(keys: ValueMap): PathElement {
  const sorted = Object.keys(keys).toSorted()
  return `k:{${sorted.map((name) => `${JSON.stringify(name)}:${scalarText(keys[name])}`).join(',')}}`
}

/** The element of a list item that one key field identifies, as in most lists. */
export function singleKeyElement(name: string, value: Value): PathElement {
  return `k:{${JSON.stringify(name)}:${scalarText(value)}}`
}

export function valueElement(value: Value): PathElement {
  return `v:${scalarText(value)}`
}

export function scalarText(value: Value | undefined): string {
  return typeof value === 'bigint' ? value.toString() : JSON.stringify(value ?? null)
}

/** A set that is still being filled. Its parts are made when needed: most nodes have only members, only children, or neither. */
export class FieldSetBuilder {
  #members: Set<PathElement> | undefined
  #children: Map<PathElement, FieldSetBuilder> | undefined
  #whole: Map<PathElement, FieldSet> | undefined

  add(element: PathElement): void {
    this.#members ??= new Set()
    this.#members.add(element)
  }

  insert(path: readonly PathElement[], from = 0): void {
    const element = path[from]
    if (element === undefined) return
    if (from === path.length - 1) this.add(element)
    else this.child(element).insert(path, from + 1)
  }

  addAll({ members, children }: FieldSet): void {
    for (const element of members) this.add(element)
    for (const [element, below] of children) this.child(element).addAll(below)
  }

  /** Sets everything below an element. The element must not have anything below it yet. */
  put(element: PathElement, below: FieldSet): void {
    if (isEmptySet(below)) return
    this.#whole ??= new Map()
    this.#whole.set(element, below)
  }

  child(element: PathElement): FieldSetBuilder {
    this.#children ??= new Map()
    let child = this.#children.get(element)
    if (child === undefined) {
      child = new FieldSetBuilder()
      this.#children.set(element, child)
    }
    return child
  }

  /** Returns the set. Nothing may be added to the builder afterwards. */
  build(): FieldSet {
    let children = this.#whole
    if (this.#children !== undefined) {
      children ??= new Map()
      for (const [element, child] of this.#children) {
        const built = child.build()
        if (!isEmptySet(built)) children.set(element, built)
      }
    }
    return { members: this.#members ?? NO_MEMBERS, children: children ?? NO_CHILDREN }
  }
}

export function setOf(paths: Iterable<readonly PathElement[]>): FieldSet {
  const builder = new FieldSetBuilder()
  for (const path of paths) builder.insert(path)
  return builder.build()
}

/** The set of the fields with these dotted names, such as `metadata.labels`. */
export function setOfFields(dotted: readonly string[]): FieldSet {
  return setOf(dotted.map((path) => path.split('.').map(fieldElement)))
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(a) || a === b) return b
  if (isEmptySet(b)) return a
  const children = new Map(a.children)
  for (const [element, below] of b.children) {
    const mine = children.get(element)
    children.set(element, mine === undefined ? below : union(mine, below))
  }
  return { members: a.members.union(b.members), children }
}

/** The union of many sets. */
export function unionOf(sets: Iterable<FieldSet>): FieldSet {
  const builder = new FieldSetBuilder()
  for (const set of sets) builder.addAll(set)
  return builder.build()
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  const children = new Map<PathElement, FieldSet>()
  for (const [element, below] of a.children) {
    const theirs = b.children.get(element)
    if (theirs === undefined) continue
    const common = intersection(below, theirs)
    if (!isEmptySet(common)) children.set(element, common)
  }
  return { members: a.members.intersection(b.members), children }
}

/** `a` without the paths of `b`. Paths below the paths of `b` stay. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, false)
}

/** `a` without the paths of `b` and all paths below them. */
export function differenceWithBelow(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, true)
}

/** Returns `a` itself if nothing is removed. */
function subtract(a: FieldSet, b: FieldSet, withBelow: boolean): FieldSet {
  if (isEmptySet(a) || isEmptySet(b)) return a
  if (a === b && !withBelow) return EMPTY_SET
  const children = new Map<PathElement, FieldSet>()
  let isSame = true
  for (const [element, below] of a.children) {
    const theirs = b.children.get(element)
    const isDropped = withBelow && b.members.has(element)
    const rest = isDropped ? EMPTY_SET : theirs === undefined ? below : subtract(below, theirs, withBelow)
    if (rest !== below) isSame = false
    if (!isEmptySet(rest)) children.set(element, rest)
  }
  const members = a.members.isDisjointFrom(b.members) ? a.members : a.members.difference(b.members)
  return isSame && members === a.members ? a : { members, children }
}

/** Whether every path of `a` is also a path of `b`. */
export function isSubset(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true
  if (!a.members.isSubsetOf(b.members)) return false
  for (const [element, below] of a.children) {
    const theirs = b.children.get(element)
    if (theirs === undefined || !isSubset(below, theirs)) return false
  }
  return true
}

/** Whether the two sets have a path in common. */
export function intersects(a: FieldSet, b: FieldSet): boolean {
  if (!a.members.isDisjointFrom(b.members)) return true
  const [few, many] = a.children.size < b.children.size ? [a, b] : [b, a]
  for (const [element, below] of few.children) {
    const theirs = many.children.get(element)
    if (theirs !== undefined && intersects(below, theirs)) return true
  }
  return false
}

/** Every path of the set in the order of conflicts: first paths that end at a node, then paths below it, both in the order of FieldsV1. */
export function* pathsOf(set: FieldSet, prefix: readonly PathElement[] = []): Generator<readonly PathElement[]> {
  const elements = sortedElements(set)
  for (const element of elements) if (set.members.has(element)) yield [...prefix, element]
  for (const element of elements) {
    const below = set.children.get(element)
    if (below !== undefined) yield* pathsOf(below, [...prefix, element])
  }
}

/** Whether the nodes of a set together have more than this number of elements. The walk through a large set ends early. */
export function isLargerThan(set: FieldSet, elements: number): boolean {
  let left = elements
  const count = ({ members, children }: FieldSet): void => {
    left -= members.size + children.size
    for (const below of children.values()) {
      if (left < 0) return
      count(below)
    }
  }
  count(set)
  return left < 0
}

/** The elements of one node in the order in which FieldsV1 prints them: fields, keys, values, indexes. */
export function sortedElements(set: FieldSet): PathElement[] {
  const all = [...set.members]
  for (const element of set.children.keys()) if (!set.members.has(element)) all.push(element)
  // Most nodes have only fields. Their texts sort like their names.
  if (all.every((element) => element.startsWith('f:'))) return all.sort()
  return all
    .map(placedElement)
    .sort(comparePlaced)
    .map(({ element }) => element)
}

const KIND_ORDER = 'fkvi'

/** An element with its sort key, which is computed once and not at every comparison. */
interface PlacedElement {
  readonly element: PathElement
  readonly kind: number
  /** The keys of a `k:` element. */
  readonly keys: readonly (readonly [string, Value])[]
  /** The value or the index. For a field: the text of the element. */
  readonly value: Value
}

const NO_KEYS: PlacedElement['keys'] = Object.freeze([])

function placedElement(element: PathElement): PlacedElement {
  const kind = KIND_ORDER.indexOf(element[0]!)
  switch (element[0]) {
    case 'k':
      return { element, kind, keys: Object.entries(parseJsonText(element.slice(2)) as ValueMap), value: null }
    case 'v':
      return { element, kind, keys: NO_KEYS, value: parseJsonText(element.slice(2)) }
    case 'i':
      return { element, kind, keys: NO_KEYS, value: Number(element.slice(2)) }
    default:
      return { element, kind, keys: NO_KEYS, value: element }
  }
}

function comparePlaced(a: PlacedElement, b: PlacedElement): number {
  return a.kind - b.kind || compareKeys(a.keys, b.keys) || compareScalars(a.value, b.value)
}

function compareKeys(left: PlacedElement['keys'], right: PlacedElement['keys']): number {
  for (let i = 0; i < left.length && i < right.length; i++) {
    const [name, value] = left[i]!
    const [otherName, otherValue] = right[i]!
    if (name !== otherName) return name < otherName ? -1 : 1
    const order = compareScalars(value, otherValue)
    if (order !== 0) return order
  }
  return left.length - right.length
}

/** Values of different types have this order: numbers, strings, booleans, null. */
function compareScalars(a: Value, b: Value): number {
  const rank = scalarRank(a) - scalarRank(b)
  if (rank !== 0) return rank
  if (a === b || a === null || b === null) return 0
  return a < b ? -1 : a > b ? 1 : 0
}

function scalarRank(value: Value): number {
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return 0
    case 'string':
      return 1
    case 'boolean':
      return 2
    default:
      return 3
  }
}

/** A path as conflicts print it: `.spec.containers[name="a"].image`. */
export function formatPath(path: readonly PathElement[]): string {
  return path.map(formatElement).join('')
}

function formatElement(element: PathElement): string {
  const rest = element.slice(2)
  switch (element[0]) {
    case 'f':
      return `.${rest}`
    case 'k': {
      const keys = parseJsonText(rest) as ValueMap
      return `[${Object.entries(keys)
        .map(([name, value]) => `${name}=${scalarText(value)}`)
        .join(',')}]`
    }
    case 'v':
      return `[=${rest}]`
    default:
      return `[${rest}]`
  }
}
