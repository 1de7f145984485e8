// Bytes outside of the JavaScript heap: objects are packed into large buffers, so that two hundred thousand of them cost the
// garbage collector no more than a few buffers. A half-empty buffer is evacuated. Each type has buffers of its own, in proportion
// to its size: one old version that is still referenced keeps all of its buffer.
import type { ApiObject } from '../api/object.ts'

const LEAST_SLAB_BYTES = 4 << 10
const MOST_SLAB_BYTES = 1 << 20
/** A new slab holds about this share of the current bytes. */
const SLAB_PART = 1 / 8

/** Behind each item there is a line end, so that it can be sent as a line without being copied. */
const LINE_END = 0x0a

/** An item in a slab. It may be moved: read `slab` and `offset` together, each time. */
export interface SlabItem {
  slab: Slab
  offset: number
  readonly length: number
  /** False after a newer version has replaced it. History and snapshots may still show it. */
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

  constructor(bytes: number, owner: SlabAllocator) {
    this.owner = owner
    this.buffer = Buffer.allocUnsafeSlow(bytes)
  }
}

export class SlabAllocator {
  /** The shared items. Each cache that has them counts them for itself. Undefined: the items are not shared. */
  parsed: WeakMap<SlabItem, ApiObject> | undefined
  #slab: Slab | undefined
  /** Bytes of all items that are current. */
  #live = 0

  /** Space for this many bytes. The caller writes them and then makes an item with `settle`. */
  reserve(itemLength: number): { readonly slab: Slab; readonly offset: number } {
    const length = itemLength + 1
    // Only small objects share a slab: a large one would leave most of it unused.
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

  /** The item was replaced or removed. Items of another allocator are ignored. */
  retire(item: SlabItem): void {
    if (!item.isCurrent || item.slab.owner !== this) return
    item.isCurrent = false
    const { slab } = item
    slab.live -= item.length
    this.#live -= item.length
    if (slab !== this.#slab && slab.live > 0 && slab.live < slab.buffer.length / 2) this.#evacuate(slab)
  }

  /** Items that are not current stay. They free the old buffer when the last snapshot with them is dropped. */
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
