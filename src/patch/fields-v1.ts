// FieldsV1: the spelling of a field set in `metadata.managedFields[].fieldsV1`.
import { jsonOrAbsent } from '../api/json-text.ts'
import { isMap, setOwn, type Value, type ValueMap } from '../api/value.ts'
import type { FieldSet, PathElement } from './field-set.ts'
import { FieldSetBuilder, keyElement, sortedElements, valueElement } from './field-set.ts'

/** The JSON form: `.` for the node itself, then its elements in order. */
export function encodeFieldsV1(set: FieldSet): ValueMap {
  return set.written ?? new Encoder().node(set, false)
}

const LEAF: ValueMap = Object.freeze({})

class Encoder {
  /** The forms of sets without children. Items of a list often share such a set, which is encoded once. */
  readonly #items = new Map<FieldSet, ValueMap>()

  node(set: FieldSet, isMember: boolean): ValueMap {
    const node: Record<string, Value> = {}
    if (isMember) node['.'] = LEAF
    for (const element of sortedElements(set)) {
      const below = set.children.get(element)
      setOwn(node, element, below === undefined ? LEAF : this.#below(below, set.members.has(element)))
    }
    return node
  }

  #below(set: FieldSet, isMember: boolean): ValueMap {
    if (!isMember || set.children.size > 0) return this.node(set, isMember)
    let known = this.#items.get(set)
    if (known === undefined) this.#items.set(set, (known = this.node(set, true)))
    return known
  }
}

/**
 * The set of a FieldsV1 object. Undefined: the object cannot be read. Elements of an unknown kind are skipped. An object that this server
 * wrote (`isOurs`) is kept, and written again if the set does not change.
 */
export function decodeFieldsV1(fields: Value | undefined, isOurs: boolean): FieldSet | undefined {
  const builder = new FieldSetBuilder()
  if (fields === undefined || fields === null) return builder.build()
  if (!isMap(fields) || !decodeNode(fields, builder, isOurs)) return undefined
  return isOurs ? { ...builder.build(), written: fields } : builder.build()
}

/** Returns false if the node is malformed. */
function decodeNode(node: ValueMap, into: FieldSetBuilder, isOurs: boolean): boolean {
  for (const key of Object.keys(node)) {
    const below = node[key]!
    if (key === '.') continue
    if (key[1] !== ':' || !isMap(below)) return false
    if (!'fkvi'.includes(key[0]!)) continue
    const element = isOurs ? key : canonicalElement(key)
    if (element === undefined) return false
    const count = Object.keys(below).length
    if (count === 0 || Object.hasOwn(below, '.')) into.add(element)
    if (count > 0 && !decodeNode(below, into.child(element), isOurs)) return false
  }
  return true
}

/** The element with its JSON in our own spelling, so that equal elements are equal strings. Undefined: the element is malformed. */
function canonicalElement(key: string): PathElement | undefined {
  const rest = key.slice(2)
  if (key[0] === 'f') return key
  if (key[0] === 'i') return /^-?\d+$/.test(rest) ? `i:${Number(rest)}` : undefined
  const value = jsonOrAbsent(rest)
  if (key[0] === 'k') return isMap(value) ? keyElement(value) : undefined
  return value === undefined ? undefined : valueElement(value)
}
