// The outline of a value has the names and types of its fields, and only those contents that affect ownership. Two values of one shape with
// the same outline set the same fields, and both fit their schema or have the same problems. So a result for one holds for the other.
import { isList, isMap, own, type Value, type ValueMap } from '../api/value.ts'
import type { ListShape, ObjectShape, Shape } from '../schema/table.ts'

const ANY: Shape = Object.freeze({ kind: 'any' })
const NULL = 'n'
const TEXT = 's'
const ZERO_TEXT = 'e'
const NUMBER = 'd'
const ZERO = 'z'
const TRUE = 't'
const FALSE = 'f'
/** A map or list that has no parts, or does not fit its shape. */
const WHOLE = 'v'
/** The texts of an unset string, quantity and duration. */
const ZERO_TEXTS: readonly string[] = ['', '0', '0s']

const LONGEST = 16 * 1024

/** Thrown if an outline becomes too long. */
class TooLong extends Error {}

/** Undefined: the outline is too long to be kept. */
export function outlineOf(shape: Shape, value: Value): string | undefined {
  try {
    return new Outline().of(shape, value)
  } catch (error) {
    if (!(error instanceof TooLong)) throw error
    return undefined
  }
}

/** Names and keys are written with their length, so that different outlines have different texts. */
class Outline {
  #room = LONGEST

  of(shape: Shape, value: Value): string {
    if (typeof value !== 'object') return outlineOfScalar(value)
    if (value === null) return NULL
    switch (shape.kind) {
      case 'object':
        return isMap(value) ? this.#object(shape, value) : WHOLE
      case 'map':
        return isMap(value) ? this.#map(shape.value, value) : WHOLE
      case 'list':
        return isList(value) ? this.#list(shape, value) : WHOLE
      case 'any':
        return isMap(value) ? this.#map(ANY, value) : WHOLE
      default:
        return WHOLE
    }
  }

  #object(shape: ObjectShape, object: ValueMap): string {
    let out = '{'
    for (const name of Object.keys(object)) {
      out += this.#sized(name) + this.of(shape.byName.get(name)?.shape ?? ANY, object[name]!)
    }
    return `${out}}`
  }

  #map(shape: Shape, map: ValueMap): string {
    let out = '{'
    for (const key of Object.keys(map)) out += this.#sized(key) + this.of(shape, map[key]!)
    return `${out}}`
  }

  #list(list: ListShape, items: readonly Value[]): string {
    return list.listType === 'atomic' ? this.#alike(list.item, items) : this.#items(list, items)
  }

  /** Items of an atomic list have no owners. If items in a row have equal outlines, the outline is written once. */
  #alike(shape: Shape, items: readonly Value[]): string {
    let out = '['
    let last = ''
    for (const item of items) {
      const outline = this.of(shape, item)
      if (outline !== last) out += outline
      last = outline
    }
    return `${out}]`
  }

  #items(list: ListShape, items: readonly Value[]): string {
    let out = '['
    for (const item of items) {
      if (list.listType === 'set' || !isMap(item)) out += this.#identity(item)
      else for (const key of list.keys) out += this.#identity(own(item, key))
      out += this.of(list.item, item)
    }
    return `${out}]`
  }

  /** The identity of an item is written with its value, because paths contain it. */
  #identity(value: Value | undefined): string {
    switch (typeof value) {
      case 'string':
        return `"${this.#sized(value)}`
      case 'object':
        return value === null ? NULL : this.#sized(stringify(value))
      default:
        return `${String(value)};`
    }
  }

  #sized(text: string): string {
    this.#room -= text.length + 1
    if (this.#room < 0) throw new TooLong()
    return sized(text)
  }
}

function outlineOfScalar(value: Exclude<Value, object>): string {
  switch (typeof value) {
    case 'string':
      return value.length <= 2 && ZERO_TEXTS.includes(value) ? ZERO_TEXT + sized(value) : TEXT
    case 'boolean':
      return value ? TRUE : FALSE
    default:
      return Number(value) === 0 ? ZERO : NUMBER
  }
}

/** The text of a list or map as a key. Such keys are invalid, but can occur before the list is validated. */
function stringify(value: Value): string {
  return JSON.stringify(value, (_key, member: unknown) => (typeof member === 'bigint' ? `${member}n` : member))
}

function sized(text: string): string {
  return `${text.length}:${text}`
}
