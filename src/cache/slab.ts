// Bytes outside of the JavaScript heap: objects are packed into large buffers, so that two hundred thousand of them cost the garbage
// collector no more than a few buffers. The items of a half-empty buffer are moved to another when the history no longer refers to the
// buffer: an earlier move would free nothing, and would hold the items twice. Each type has buffers of its own, in proportion to its size,
// because one old version that is still referenced keeps its whole buffer in memory.
import type { ApiObject } from '../api/object.ts'
import { TurnoverMap } from '../lib/turnover-map.ts'

const LEAST_SLAB_BYTES = 4 << 10
const MOST_SLAB_BYTES = 1 << 20
/** Moving this many bytes takes a few milliseconds. */
const MOST_MOVED_BYTES = 8 << 20
/** A new slab holds about this share of the current bytes. */
const SLAB_PART = 1 / 8

/** Each item is followed by a line end, so that it can be sent as a line without a copy. */
const LINE_END = 0x0a

/** An item in a slab. The item may be moved: always read `slab` and `offset` together. */
export interface SlabItem {
  slab: Slab
  offset: number
  readonly length: number
  /** False after a newer version has replaced the item. History and snapshots may still show the item. */
  isCurrent: boolean
}

export class Slab {
  /** Only the cache that has made the slab moves its items: other caches may share them. */
  readonly owner: SlabAllocator
  readonly buffer: Buffer
  readonly items: SlabItem[] = []
  used = 0
  /** Bytes of items that are current. */
  live = 0
  /** The last revision that has replaced or removed an item. */
  retiredAt = 0

  constructor(bytes: number, owner: SlabAllocator) {
    this.owner = owner
    this.buffer = Buffer.allocUnsafeSlow(bytes)
  }
}

export class SlabAllocator {
  /** The parsed objects of items that several caches share, so that each is parsed once. Undefined: the items are not shared. */
  parsed: WeakMap<SlabItem, ApiObject> | undefined
  #slab: Slab | undefined
  /** Bytes of all items that are current. */
  #live = 0
  /** The half-empty slabs, by `retiredAt`. */
  readonly #sparse = new TurnoverMap<Slab, Slab>()

  /** Reserves space for this many bytes. The caller writes them, and then adds the item with `settle`. */
  reserve(itemLength: number): { readonly slab: Slab; readonly offset: number } {
    const length = itemLength + 1
    // Only small objects share a slab: a large object could leave much of it unused.
    if (length > MOST_SLAB_BYTES / 4) return take(new Slab(length, this), length)
    if (this.#slab === undefined || this.#slab.used + length > this.#slab.buffer.length) {
      let bytes = LEAST_SLAB_BYTES
      while (bytes < MOST_SLAB_BYTES && (bytes < 2 * length || bytes < this.#live * SLAB_PART)) bytes *= 2
      this.#slab = new Slab(bytes, this)
    }
    return take(this.#slab, length)
  }

  settle(item: SlabItem): void {
    this.#live += item.length
    move(item)
  }

  /** Call this when the revision has replaced or removed an item. Items of another allocator are ignored. */
  retire(item: SlabItem, revision: number): void {
    if (!item.isCurrent || item.slab.owner !== this) return
    item.isCurrent = false
    const { slab } = item
    slab.live -= item.length
    this.#live -= item.length
    slab.retiredAt = revision
    if (slab.live >= slab.buffer.length / 2) return
    this.#sparse.delete(slab)
    if (slab.live > 0) this.#sparse.set(slab, slab)
  }

  /**
   * Moves the current items of the half-empty slabs where all others were replaced or removed by this revision or an earlier one. Slabs
   * beyond a limit wait for the next call.
   */
  compact(upTo: number): void {
    let left = MOST_MOVED_BYTES
    for (const slab of this.#sparse.values()) {
      if (slab.retiredAt > upTo || left <= 0) return
      if (slab === this.#slab) continue
      this.#sparse.delete(slab)
      left -= slab.live
      this.#evacuate(slab)
    }
  }

  /** Moves the current items to other slabs. The others stay: the old buffer is freed when the last snapshot with them is dropped. */
  #evacuate(slab: Slab): void {
    for (const item of slab.items) {
      if (!item.isCurrent) continue
      const place = this.reserve(item.length)
      slab.buffer.copy(place.slab.buffer, place.offset, item.offset, item.offset + item.length)
      item.slab = place.slab
      item.offset = place.offset
      move(item)
    }
    slab.live = 0
    slab.items.length = 0
  }
}

function move(item: SlabItem): void {
  item.slab.items.push(item)
  item.slab.live += item.length
}

function take(slab: Slab, length: number): { readonly slab: Slab; readonly offset: number } {
  const offset = slab.used
  slab.used += length
  slab.buffer[slab.used - 1] = LINE_END
  return { slab, offset }
}
