// An object in the cache: its bytes in a slab, its key, and the values for selectors. It is made once for each version of an object, and
// shared by the tree, its snapshots, the history and every reader.
import type { ApiObject } from '../api/object.ts'
import type { ListItem } from '../codec/list-json.ts'
import { metadataSpan } from '../codec/partial-metadata.ts'
import { spliceInto, splicedLength, versionMember } from '../codec/resource-version-splice.ts'
import { type KeyNames, namesIn } from '../store/keys.ts'
import type { Selectable } from '../store/selection.ts'
import type { SourceItem } from '../store/source.ts'
import type { UnreadableObject } from '../store/store.ts'
import { type Content, parseObject } from '../store/stored-object.ts'
import type { Slab, SlabAllocator, SlabItem } from './slab.ts'

export interface IndexedFields {
  /** -1: the field is not indexed. */
  placeOf(field: string): number
}

export type CachedItem = CachedObject | CachedUnreadable

export class CachedObject implements Selectable, SlabItem {
  /** The key within the type. */
  readonly key: string
  readonly revision: number
  readonly length: number
  readonly stale: boolean
  /** The place of the label map, packed as `start * SPAN_UNIT + length`. 0: there are no labels. */
  readonly #labels: number
  slab: Slab
  offset: number
  isCurrent = true
  /** Results of encoders, kept with the object. */
  row: ListItem['row'] = undefined
  measured: ListItem['measured'] = undefined
  /** The place of the metadata, packed like the place of the labels. 0: it was not searched yet. */
  #metadata = 0
  #indexedBy: IndexedFields | undefined
  #indexed: readonly string[] | undefined

  constructor(key: string, revision: number, content: Placed) {
    this.key = key
    this.revision = revision
    this.slab = content.slab
    this.offset = content.offset
    this.length = content.length
    this.#labels = content.labels
    this.stale = content.stale
  }

  get kind(): 'object' {
    return 'object'
  }

  get namespace(): string {
    return namesOfKey(this.key).namespace
  }

  get name(): string {
    return namesOfKey(this.key).name
  }

  get bytes(): Buffer {
    return this.slab.buffer.subarray(this.offset, this.offset + this.length)
  }

  get line(): Buffer {
    return this.slab.buffer.subarray(this.offset, this.offset + this.length + 1)
  }

  get metadata(): Buffer {
    if (this.#metadata === 0) {
      const { start, end } = metadataSpan(this.bytes) ?? NO_SPAN
      this.#metadata = start * SPAN_UNIT + (end - start)
    }
    const start = this.offset + Math.floor(this.#metadata / SPAN_UNIT)
    return this.slab.buffer.subarray(start, start + (this.#metadata % SPAN_UNIT))
  }

  /** The values of the type's indexed fields, in the order of the fields. Undefined: the type has no indexed fields. */
  get indexed(): readonly string[] | undefined {
    return this.#indexed
  }

  /** Sets the values of the indexed fields, once. */
  index(by: IndexedFields, values: readonly string[]): void {
    this.#indexedBy = by
    this.#indexed = values
  }

  knownField(field: string): string | undefined {
    return this.#indexed?.[this.#indexedBy?.placeOf(field) ?? -1]
  }

  get labelText(): string {
    if (this.#labels === 0) return ''
    const start = this.offset + Math.floor(this.#labels / SPAN_UNIT)
    return this.slab.buffer.toString('utf8', start, start + (this.#labels % SPAN_UNIT))
  }

  object(): ApiObject {
    const { parsed } = this.slab.owner
    const known = parsed?.get(this)
    if (known !== undefined) return known
    const object = parseObject(this.bytes)
    parsed?.set(this, object)
    return object
  }
}

interface CachedUnreadable extends UnreadableObject {
  /** The key within the type. */
  readonly key: string
}

/** The names in a key. A key without names is never cached. */
function namesOfKey(key: string): KeyNames {
  return namesIn(key) ?? { namespace: '', name: key }
}

interface Placed {
  readonly slab: Slab
  readonly offset: number
  readonly length: number
  readonly labels: number
  readonly stale: boolean
}

/** Longer than any part of an object: no store accepts 2^26 bytes. */
const SPAN_UNIT = 2 ** 26
/** Objects without metadata are never cached. */
const NO_SPAN = Object.freeze({ start: 0, end: 0 })

/** Copies an item into a slab, with its resourceVersion. */
export function placeItem(slabs: SlabAllocator, key: string, item: SourceItem): CachedItem {
  const { content, revision } = item
  if (content.kind === 'unreadable') return { ...content, ...namesOfKey(key), key, revision }
  const object = new CachedObject(key, revision, placeContent(slabs, revision, content))
  slabs.settle(object)
  return object
}

function placeContent(slabs: SlabAllocator, revision: number, content: Extract<Content, { kind: 'readable' }>): Placed {
  const { bytes, layout, stale } = content
  const member = versionMember(layout, revision)
  const length = splicedLength(bytes, layout, member)
  const { slab, offset } = slabs.reserve(length)
  spliceInto(slab.buffer, offset, { bytes, layout, member })
  const isBehind = layout.labels.start >= layout.version.end
  const start = layout.labels.start + (isBehind ? length - bytes.length : 0)
  const size = layout.labels.end - layout.labels.start
  return { slab, offset, length, labels: size === 0 ? 0 : start * SPAN_UNIT + size, stale }
}
