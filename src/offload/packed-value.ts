// Values on their way between threads: JSON in short pieces, so that the receiver can parse them in turns.
import { jsonText, parseJsonText } from '../api/json-text.ts'
import { isList, setOwn, type Value, type ValueMap } from '../api/value.ts'
import type { Turns } from '../lib/turns.ts'

/** The JSON of a value, or what a long list or map holds. */
export type Packed = string | PackedParts

export interface PackedParts {
  readonly isList: boolean
  /** In order: the JSON of some members or items, or one that is long itself. */
  readonly parts: readonly (string | LongMember)[]
}

interface LongMember {
  /** Empty for an item. */
  readonly key: string
  readonly value: PackedParts
}

/** The length of a piece: reading one takes a fraction of a millisecond. */
const PIECE_LENGTH = 16 * 1024

export function pack(value: Value): Packed {
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : jsonText(value)
  const parts = new Parts(isList(value))
  if (isList(value)) for (const item of value) parts.add('', pack(item))
  else for (const key of Object.keys(value)) parts.add(key, pack(value[key]!))
  return parts.packed()
}

class Parts {
  readonly #isList: boolean
  readonly #parts: (string | LongMember)[] = []
  #piece = ''

  constructor(isOfList: boolean) {
    this.#isList = isOfList
  }

  add(key: string, value: Packed): void {
    if (typeof value !== 'string') {
      this.#finishPiece()
      this.#parts.push({ key, value })
      return
    }
    if (this.#piece.length >= PIECE_LENGTH) this.#finishPiece()
    const member = this.#isList ? value : `${JSON.stringify(key)}:${value}`
    this.#piece = this.#piece === '' ? member : `${this.#piece},${member}`
  }

  packed(): Packed {
    if (this.#parts.length === 0) return this.#enclosed()
    this.#finishPiece()
    return { isList: this.#isList, parts: this.#parts }
  }

  #finishPiece(): void {
    if (this.#piece !== '') this.#parts.push(this.#enclosed())
    this.#piece = ''
  }

  #enclosed(): string {
    return this.#isList ? `[${this.#piece}]` : `{${this.#piece}}`
  }
}

/** The value again; every piece of a long one may be read in another turn. */
export async function unpack(packed: Packed, turns: Turns): Promise<Value> {
  if (typeof packed === 'string') return parseJsonText(packed)
  const list: Value[] = []
  const map: Record<string, Value> = {}
  for (const part of packed.parts) {
    if (turns.isOver) await turns.next()
    const value = typeof part === 'string' ? parseJsonText(part) : await unpack(part.value, turns)
    if (packed.isList) list.push(...(typeof part === 'string' ? (value as readonly Value[]) : [value]))
    else if (typeof part !== 'string') setOwn(map, part.key, value)
    else for (const key of Object.keys(value as ValueMap)) setOwn(map, key, (value as ValueMap)[key]!)
  }
  return packed.isList ? list : map
}
