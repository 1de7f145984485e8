// Crops a value that is too long to be shown whole. The cost depends on the part that is kept, not on the whole value.
import { isList, type Value, type ValueMap } from './value.ts'

/** Users do not read more. An answer with a whole large object would be three times as large as the object. */
export const MOST_SHOWN = 64 * 1024
export const CUT_MARK = '…'

/** The whole value if its JSON is not much longer than `MOST_SHOWN`, otherwise as many of its members as fit. */
export function croppedValue(map: ValueMap): ValueMap
export function croppedValue(value: Value): Value
export function croppedValue(value: Value): Value {
  return new Cropping().of(value)
}

export function croppedText(text: string): string {
  return text.length > MOST_SHOWN ? text.slice(0, MOST_SHOWN) + CUT_MARK : text
}

class Cropping {
  #left = MOST_SHOWN

  of(value: Value): Value {
    this.#left -= 1
    if (typeof value === 'string') {
      this.#left -= value.length
      return croppedText(value)
    }
    if (typeof value !== 'object' || value === null) return value
    return isList(value) ? this.#list(value) : this.#map(value)
  }

  #list(list: readonly Value[]): Value {
    const items: Value[] = []
    for (const item of list) {
      if (this.#left <= 0) return [...items, CUT_MARK]
      items.push(this.of(item))
    }
    return items
  }

  #map(map: ValueMap): Value {
    const members: [string, Value][] = []
    for (const name in map) {
      if (this.#left <= 0) return Object.fromEntries([...members, [CUT_MARK, CUT_MARK]])
      this.#left -= name.length
      members.push([name, this.of(map[name]!)])
    }
    return Object.fromEntries(members)
  }
}
