// Makes objects of stored bytes. Unreadable bytes become a special value, never an exception: one damaged object must not make others
// unreadable.
import type { ApiObject } from '../api/object.ts'
import type { StoredObject } from '../api/read.ts'
import { ApiError } from '../api/status.ts'
import { layoutOf, type ObjectLayout, spliceResourceVersion } from '../codec/resource-version-splice.ts'
import { OPEN_MAP } from '../codec/json-bytes.ts'
import { parseStored } from '../codec/stored-json.ts'
import { damageOf } from '../kv/damaged-value.ts'
import { InvariantError } from '../lib/errors.ts'
import type { DecodeForeign, IsForeign } from './foreign.ts'
import type { KeyNames } from './keys.ts'
import type { PutOutcome, StoredItem, UnreadableObject } from './store.ts'
import type { Opened, Transformer } from './transformer.ts'

/** The decrypted value of a key: canonical JSON without a resourceVersion, or the reason why it is unreadable. */
export type Content =
  | {
      readonly kind: 'readable'
      readonly bytes: Buffer
      readonly layout: ObjectLayout
      readonly stale: boolean
      /** `bytes` were converted from another encoding or version. */
      readonly foreign?: true
    }
  | { readonly kind: 'unreadable'; readonly problem: string }

export interface Opener {
  /** The prefix of all keys. */
  readonly prefix: string
  readonly transformer: Transformer
  readonly decodeForeign: DecodeForeign
  readonly isForeign: IsForeign
}

export function openValue(opener: Opener, value: Buffer, key: string): Content | Promise<Content> {
  const damage = damageOf(value)
  if (damage !== undefined) return { kind: 'unreadable', problem: damage }
  const opened = opener.transformer.fromStorage(value, key)
  return opened instanceof Promise
    ? opened.then((late) => contentOf(late, opener, key))
    : contentOf(opened, opener, key)
}

function contentOf(opened: Opened, { prefix, decodeForeign, isForeign }: Opener, key: string): Content {
  if (opened.kind === 'sealed') return { kind: 'unreadable', problem: opened.problem }
  const { bytes, stale } = opened
  const layout = bytes[0] === OPEN_MAP ? layoutOf(bytes) : undefined
  const asItIs = layout === undefined ? undefined : ({ kind: 'readable', bytes, layout, stale } as const)
  const place = key.slice(prefix.length + 1)
  if (asItIs !== undefined && !isForeign(bytes, place)) return asItIs
  const foreign = decodeForeign(bytes, place)
  // Canonical JSON with a value of a wrong type is shown anyway.
  if (foreign.kind === 'unreadable') return asItIs ?? foreign
  const found = layoutOf(foreign.bytes)
  if (found === undefined) return { kind: 'unreadable', problem: 'the stored data is not an object' }
  return { kind: 'readable', bytes: foreign.bytes, layout: found, stale, foreign: true }
}

export function itemOf(names: KeyNames, revision: number, content: Content): StoredItem {
  if (content.kind === 'unreadable') return unreadable(names, revision, content.problem)
  return new BytesObject(names, revision, spliceResourceVersion(content.bytes, content.layout, revision))
}

function unreadable(names: KeyNames, revision: number, problem: string): UnreadableObject {
  return { kind: 'unreadable', namespace: names.namespace, name: names.name, revision, problem }
}

/** The same content at another revision, for a DELETED event. */
export function atRevision(object: StoredObject, revision: number): StoredObject {
  return new LaterObject(object, revision)
}

export class BytesObject implements StoredObject {
  readonly kind = 'object'
  readonly namespace: string
  readonly name: string
  readonly revision: number
  readonly bytes: Buffer

  constructor(names: KeyNames, revision: number, bytes: Buffer) {
    this.namespace = names.namespace
    this.name = names.name
    this.revision = revision
    this.bytes = bytes
  }

  object(): ApiObject {
    return parseObject(this.bytes)
  }
}

/** An object at another revision. Its bytes are made on demand, because they are seldom needed. */
class LaterObject implements StoredObject {
  readonly kind = 'object'
  readonly revision: number
  readonly #object: StoredObject
  #bytes: Buffer | undefined

  constructor(object: StoredObject, revision: number) {
    this.#object = object
    this.revision = revision
  }

  get namespace(): string {
    return this.#object.namespace
  }

  get name(): string {
    return this.#object.name
  }

  get bytes(): Buffer {
    this.#bytes ??= replaceVersion(this.#object.bytes, this.revision)
    return this.#bytes
  }

  object(): ApiObject {
    return parseObject(this.bytes)
  }
}

function replaceVersion(bytes: Buffer, revision: number): Buffer {
  const layout = layoutOf(bytes)
  if (layout === undefined) throw new InvariantError('an object has no place for its version')
  return spliceResourceVersion(bytes, layout, revision)
}

/** The object that a put stores. */
export function objectToPut({ object, bytes }: PutOutcome): ApiObject {
  return object ?? parseObject(bytes)
}

export function parseObject(bytes: Buffer): ApiObject {
  const object = parseStored(bytes)
  // The beginning was valid when the object was read: the damage is in the middle.
  if (object === undefined) throw damaged()
  return object
}

function damaged(): ApiError {
  return new ApiError('InternalError', 'Internal error occurred: the stored data is not an object')
}
