// A document that a JSON patch is editing. A map or list is copied when it is first edited, and then changed in place. So the cost of an
// operation does not depend on the size of the map or list.
import { isList, isMap, own, setOwn, type Value, type ValueMap } from '../api/value.ts'

/** The content of a place: the original value, or a draft of it. */
export type Part = Value | Draft
export type Draft = MapDraft | ListDraft

export function isDraft(part: Part | undefined): part is Draft {
  return part instanceof MapDraft || part instanceof ListDraft
}

/** The part as a draft, which can be edited. Undefined: the part is a scalar. */
export function drafted(part: Part): Draft | undefined {
  if (isDraft(part)) return part
  if (isMap(part)) return new MapDraft(part)
  return isList(part) ? new ListDraft(part) : undefined
}

/** A draft is too deep. Drafts can be moved into one another, so they can become deeper than any document that a client can send. */
export class TooDeepError extends Error {}

/** The allowed depth of documents. */
export const MAX_DEPTH = 1000

/** The plain value of a part. A draft can still be edited afterwards. Throws `TooDeepError` if the part has more than `room` levels. */
export function finished(part: Part, room = MAX_DEPTH): Value {
  if (!isDraft(part)) return part
  if (room === 0) throw new TooDeepError()
  return part.finish(room - 1)
}

/** The member of a part under a key or at an index. Undefined: the part has no such member. */
export function memberOf(part: Part, step: string): Part | undefined {
  if (isDraft(part)) return part.get(step)
  if (isMap(part)) return own(part, step)
  return isList(part) ? part[indexOf(step, part.length)] : undefined
}

/** The index that a step of a path means in a list. Negative steps count from the end. NaN: the step is not a number. */
export function indexOf(step: string, length: number): number {
  if (!/^-?\d{1,9}$/.test(step)) return Number.NaN
  const index = Number(step)
  return index < 0 ? index + length : index
}

export class MapDraft {
  readonly #members = new Map<string, Part>()

  constructor(map: ValueMap) {
    for (const key of Object.keys(map)) this.#members.set(key, map[key]!)
  }

  get size(): number {
    return this.#members.size
  }

  get(key: string): Part | undefined {
    return this.#members.get(key)
  }

  set(key: string, part: Part): void {
    this.#members.set(key, part)
  }

  /** Returns false if the map has no such member. */
  delete(key: string): boolean {
    return this.#members.delete(key)
  }

  finish(room: number): ValueMap {
    const map: Record<string, Value> = {}
    for (const [key, part] of this.#members) setOwn(map, key, finished(part, room))
    return map
  }
}

/** A list is kept in blocks of at most twice this number of items. An insertion or removal moves only the items of one block. */
const BLOCK = 1024

export class ListDraft {
  readonly #blocks: Part[][] = []
  #length: number

  constructor(list: readonly Value[]) {
    for (let at = 0; at < list.length; at += BLOCK) this.#blocks.push(list.slice(at, at + BLOCK))
    this.#length = list.length
  }

  get size(): number {
    return this.#length
  }

  get(step: string): Part | undefined {
    const index = indexOf(step, this.#length)
    if (!this.has(index)) return undefined
    const { block, at } = this.#find(index)
    return this.#blocks[block]![at]
  }

  has(index: number): boolean {
    return index >= 0 && index < this.#length
  }

  /** The list must have the index. */
  replace(index: number, part: Part): void {
    const { block, at } = this.#find(index)
    this.#blocks[block]![at] = part
  }

  /** Inserts the part before the item at the index. The index may be the length of the list. */
  insert(index: number, part: Part): void {
    if (this.#blocks.length === 0) this.#blocks.push([])
    const { block, at } = this.#find(index)
    const items = this.#blocks[block]!
    items.splice(at, 0, part)
    if (items.length > 2 * BLOCK) this.#blocks.splice(block + 1, 0, items.splice(BLOCK))
    this.#length += 1
  }

  /** The list must have the index. */
  remove(index: number): void {
    const { block, at } = this.#find(index)
    this.#blocks[block]!.splice(at, 1)
    this.#length -= 1
  }

  /** The block of an index, and the place in the block. For the length of the list: the place after the last item of the last block. */
  #find(index: number): { readonly block: number; readonly at: number } {
    let at = index
    let block = 0
    for (; block < this.#blocks.length - 1; block++) {
      const { length } = this.#blocks[block]!
      if (at < length) break
      at -= length
    }
    return { block, at }
  }

  finish(room: number): readonly Value[] {
    const list: Value[] = []
    for (const block of this.#blocks) for (const part of block) list.push(finished(part, room))
    return list
  }
}
