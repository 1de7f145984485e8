// Values on their way between threads: JSON in short pieces, so that the receiver can parse them in turns.
import { jsonText, parseJsonText } from '../api/json-text.ts'
import { isList, setOwn, type Value } from '../api/value.ts'
import type { Turns } from '../lib/turns.ts'

/** The JSON of a value, or what a long list or map holds. */
export type Packed = string | PackedParts

export interface PackedParts {
  readonly isList: boolean
  /** In order: the JSON of a list of some items, of a map with names before their values; or one member that is long itself. */
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
  if (isList(value)) return packList(value)
  const keys = Object.keys(value)
  if (keys.length === 0) return '{}'
  const parts = new Parts(false)
  for (const key of keys) parts.addMember(key, pack(value[key]!))
  return parts.packed()
}

function packList(list: readonly Value[]): Packed {
  const parts = new Parts(true)
  for (const item of list) parts.addItem(pack(item))
  return parts.packed()
}

class Parts {
  readonly #isList: boolean
  readonly #parts: (string | LongMember)[] = []
  /** Items, or names before their values, of the piece that is not full. */
  #texts: string[] = []
  #length = 0

  constructor(isOfList: boolean) {
    this.#isList = isOfList
  }

  addItem(item: Packed): void {
    if (typeof item === 'string') this.#add(item)
    else this.#addLong('', item)
  }

  addMember(key: string, value: Packed): void {
    if (typeof value !== 'string') return this.#addLong(key, value)
    this.#add(JSON.stringify(key))
    this.#texts.push(value)
    this.#length += value.length
  }

  packed(): Packed {
    if (this.#parts.length === 0) return this.#isList ? `[${this.#texts.join()}]` : objectText(this.#texts)
    this.#finishPiece()
    return { isList: this.#isList, parts: this.#parts }
  }

  #add(text: string): void {
    if (this.#length >= PIECE_LENGTH) this.#finishPiece()
    this.#texts.push(text)
    this.#length += text.length
  }

  #addLong(key: string, value: PackedParts): void {
    this.#finishPiece()
    this.#parts.push({ key, value })
  }

  #finishPiece(): void {
    if (this.#texts.length > 0) this.#parts.push(`[${this.#texts.join()}]`)
    this.#texts = []
    this.#length = 0
  }
}

function objectText(texts: readonly string[]): string {
  let members = ''
  for (let i = 0; i < texts.length; i += 2) members += `${i === 0 ? '' : ','}${texts[i]}:${texts[i + 1]}`
  return `{${members}}`
}

/** The value again; every piece of a long one may be read in another turn. */
export async function unpack(packed: Packed, turns: Turns): Promise<Value> {
  if (typeof packed === 'string') return parseJsonText(packed)
  const list: Value[] = []
  const map: Record<string, Value> = {}
  for (const part of packed.parts) {
    if (turns.isOver) await turns.next()
    if (typeof part !== 'string') {
      const value = await unpack(part.value, turns)
      if (packed.isList) list.push(value)
      else setOwn(map, part.key, value)
      continue
    }
    const texts = parseJsonText(part) as readonly Value[]
    if (packed.isList) list.push(...texts)
    else for (let i = 0; i < texts.length; i += 2) setOwn(map, texts[i] as string, texts[i + 1]!)
  }
  return packed.isList ? list : map
}
