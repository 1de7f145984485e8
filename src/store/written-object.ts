// The object of a write: its stored bytes, and its bytes with the resourceVersion from the write.
import type { ApiObject } from '../api/object.ts'
import type { StoredObject } from '../api/read.ts'
import { layoutOf, lineWithVersion, splicedLength, versionMember } from '../codec/resource-version-splice.ts'
import { InvariantError } from '../lib/errors.ts'
import type { ObjectKey, StoredItem } from './store.ts'
import { parseObject } from './stored-object.ts'

/** Whether the item has these bytes: they are equal before and after the resourceVersion. */
export function isStored(bytes: Buffer, item: StoredItem): boolean {
  const layout = item.kind === 'object' ? layoutOf(bytes) : undefined
  if (item.kind !== 'object' || layout === undefined) return false
  const member = versionMember(layout, item.revision)
  const stored = item.bytes
  if (stored.length !== splicedLength(bytes, layout, member)) return false
  const { start, end } = layout.version
  return (
    stored.compare(bytes, 0, start, 0, start) === 0 &&
    stored.compare(bytes, end, bytes.length, start + member.length, stored.length) === 0
  )
}

/**
 * An object that was just written. Its bytes with the version are made on demand. If no object was given, the stored bytes are parsed on
 * demand.
 */
export class WrittenObject implements StoredObject {
  readonly kind = 'object'
  readonly namespace: string
  readonly name: string
  readonly revision: number
  #object: ApiObject | undefined
  readonly #stored: Buffer
  #line: Buffer | undefined

  constructor(key: ObjectKey, revision: number, object: ApiObject | undefined, stored: Buffer) {
    this.namespace = key.namespace
    this.name = key.name
    this.revision = revision
    this.#object = object
    this.#stored = stored
  }

  get bytes(): Buffer {
    return this.line.subarray(0, -1)
  }

  /** The bytes with the line end for sending. */
  get line(): Buffer {
    if (this.#line === undefined) {
      const layout = layoutOf(this.#stored)
      if (layout === undefined) throw new InvariantError('an object without metadata was written')
      this.#line = lineWithVersion(this.#stored, layout, this.revision)
    }
    return this.#line
  }

  object(): ApiObject {
    this.#object ??= parseObject(this.#stored)
    return { ...this.#object, metadata: { ...this.#object.metadata, resourceVersion: String(this.revision) } }
  }
}
