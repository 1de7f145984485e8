// Canonical JSON of large objects, in turns: long lists and maps are written piece by piece. The text is that of
// `canonicalJson`.
import type { ApiObject } from '../api/object.ts'
import { type Value, type ValueMap, isList, isMap } from '../api/value.ts'
import { compareTexts } from '../lib/text-order.ts'
import { Later } from '../lib/later.ts'
import type { Turns } from '../lib/turns.ts'
import type { KindSchema, ObjectShape, Shape } from '../schema/table.ts'
import { isCanonicalButForMembers } from './json-canonical.ts'
import { plainJson, sortedJson, stringJson, valueJson } from './json-encode.ts'
import { bareObject } from './stored-json.ts'

export async function canonicalJsonInTurns(object: ValueMap, kind: KindSchema, turns: Turns): Promise<string> {
  const later = new Later()
  const writer = new PieceWriter(later)
  const text = kind.custom === true ? writer.sorted(object) : writer.typed(object, kind.shape, true)
  await later.done(turns)
  return typeof text === 'string' ? text : text.joined()
}

/** An object as it is stored. */
export function storedJsonInTurns(object: ApiObject, kind: KindSchema, turns: Turns): Promise<string> {
  return canonicalJsonInTurns(bareObject(object), kind, turns)
}

type Text = string | TextParts

const LONG_PART = 16 * 1024

/** A text in parts; those of long lists and maps are filled in later. Short ones are joined as soon as they make a long one. */
class TextParts {
  readonly #parts: Text[] = []
  #short: string[] = []
  #shortLength = 0

  constructor(...parts: readonly Text[]) {
    for (const part of parts) this.add(part)
  }

  add(part: Text): void {
    if (typeof part === 'string') {
      this.#short.push(part)
      this.#shortLength += part.length
      if (this.#shortLength >= LONG_PART) this.#joinShort()
    } else {
      this.#joinShort()
      this.#parts.push(part)
    }
  }

  joined(): string {
    this.#joinShort()
    return this.#parts.map((part) => (typeof part === 'string' ? part : part.joined())).join('')
  }

  #joinShort(): void {
    if (this.#shortLength > 0) this.#parts.push(this.#short.join(''))
    this.#short = []
    this.#shortLength = 0
  }
}

/** What has fewer parts is written at once, as the platform can do it. */
const FEW_PARTS = 64

class PieceWriter {
  readonly #later: Later
  /** Of maps with many members, found once: each level above asks whether it is small. */
  readonly #keys = new Map<ValueMap, readonly string[]>()

  constructor(later: Later) {
    this.#later = later
  }

  /** A value by its schema; `isTop`: something in it is large. */
  typed(value: Value, shape: Shape, isTop = false): Text {
    switch (shape.kind) {
      case 'object':
        if (!isMap(value) || (!isTop && this.#isSmall(value)) || !isCanonicalButForMembers(value, shape))
          return valueJson(value, shape)
        return this.#object(value, shape)
      case 'list':
        return isList(value) ? this.#list(value, (item) => this.typed(item, shape.item)) : valueJson(value, shape)
      case 'map':
        return isMap(value) ? this.#map(value, IN_ORDER, (member) => this.typed(member, shape.value)) : plainJson(value)
      case 'any':
      case 'rawExtension':
      case 'fieldsV1':
        return this.#plain(value)
      default:
        return valueJson(value, shape)
    }
  }

  /** Any value with the members of all its maps sorted. */
  sorted(value: Value): Text {
    if (this.#isSmall(value)) return sortedJson(value)
    if (isList(value)) return this.#list(value, (item) => this.sorted(item))
    return this.#map(value as ValueMap, IN_ORDER, (member) => this.sorted(member))
  }

  /** Any value as it is. */
  #plain(value: Value): Text {
    if (this.#isSmall(value)) return plainJson(value)
    if (isList(value)) return this.#list(value, (item) => this.#plain(item))
    return this.#map(value as ValueMap, AS_IT_IS, (member) => this.#plain(member))
  }

  #object(object: ValueMap, shape: ObjectShape): Text {
    const text = new TextParts('{')
    for (const [i, key] of Object.keys(object).entries()) {
      const below = shape.byName.get(key)?.shape ?? TEXT
      text.add(`${i > 0 ? ',' : ''}"${key}":`)
      text.add(this.typed(object[key]!, below))
    }
    text.add('}')
    return text
  }

  #list(list: readonly Value[], write: (item: Value) => Text): Text {
    const text = new TextParts()
    this.#later.each(list.length, (i) => {
      if (i > 0) text.add(',')
      text.add(write(list[i]!))
    })
    return new TextParts('[', text, ']')
  }

  #map(map: ValueMap, order: typeof IN_ORDER | typeof AS_IT_IS, write: (member: Value) => Text): Text {
    const text = new TextParts()
    const put = (keys: readonly string[]): void =>
      this.#later.each(keys.length, (i) => {
        const key = keys[i]!
        text.add(`${i === 0 ? '' : ','}${stringJson(key)}:`)
        text.add(write(map[key]!))
      })
    const keys = this.#keysOf(map)
    if (order === AS_IT_IS || areInOrder(keys)) put(keys)
    else this.#later.sortBy(keys, compareTexts, put)
    return new TextParts('{', text, '}')
  }

  /** Whether it is no list or map, or has few parts in all. */
  #isSmall(value: Value): boolean {
    return typeof value !== 'object' || value === null || this.#partsWithin(value, FEW_PARTS) >= 0
  }

  /** How many more parts there might be; negative where there are more. */
  #partsWithin(value: readonly Value[] | ValueMap, room: number): number {
    const keys = isList(value) ? undefined : this.#keysOf(value)
    const count = keys === undefined ? (value as readonly Value[]).length : keys.length
    let left = room - count
    for (let i = 0; i < count && left >= 0; i++) {
      const member = keys === undefined ? (value as readonly Value[])[i] : (value as ValueMap)[keys[i]!]
      if (typeof member === 'object' && member !== null) left = this.#partsWithin(member, left)
    }
    return left
  }

  #keysOf(map: ValueMap): readonly string[] {
    const known = this.#keys.get(map)
    if (known !== undefined) return known
    const keys = Object.keys(map)
    if (keys.length > FEW_PARTS) this.#keys.set(map, keys)
    return keys
  }
}

const IN_ORDER = 'sorted'
const AS_IT_IS = 'as it is'
const TEXT: Shape = Object.freeze({ kind: 'string' })

function areInOrder(keys: readonly string[]): boolean {
  return keys.every((key, i) => i === 0 || compareTexts(keys[i - 1]!, key) <= 0)
}
