// Writes lists in protobuf. The envelope begins with the length of the list, so every item is measured before the first byte is sent. To
// measure an item of unknown length, the writer encodes it. Encoded items are kept up to a limit. The others are encoded again when they
// are sent.
import { parseGroupVersion } from '../api/object.ts'
import type { ValueMap } from '../api/value.ts'
import { InvariantError } from '../lib/errors.ts'
import { givenMembers } from '../lib/given-members.ts'
import type { Turns } from '../lib/turns.ts'
import type { KindSchema, ObjectShape, SchemaTable } from '../schema/table.ts'
import { writeJsonList } from './list-json.ts'
import type { ListDocument, ListForm, ListItem, ListMetadata } from './list-json.ts'
import { partialMetadata } from './partial-metadata.ts'
import { type ElsewhereTools, writtenElsewhere } from './large-values.ts'
import { PieceBuffer } from './piece-buffer.ts'
import { encodeEnvelope, encodeListHead, ENVELOPE_TAIL } from './protobuf.ts'
import type { Transcoder } from './transcode.ts'

/** The tools for encodings that need the table. One set of tools is enough for a process. */
export interface EncodingTools extends ElsewhereTools {
  readonly schemas: SchemaTable
  readonly transcoder: Transcoder
  /** The largest number of encoded bytes that are kept until they can be sent. Further items are encoded twice. */
  readonly heldBytes?: number
  /** Absent: the work is not divided into turns. */
  readonly turns?: Turns
}

const HELD_BYTES = 32 * 1024 * 1024
const PIECE_BYTES = 64 * 1024

/** Like `writeJsonList`. The kind must have a protobuf form. Tables are JSON in an envelope (D10). */
export async function* writeProtobufList(list: ListDocument, tools: EncodingTools): AsyncGenerator<Buffer> {
  const { form } = list
  if (form.kind === 'table') {
    const raw: Buffer[] = []
    for await (const bundle of writeJsonList(list, { pretty: false })) raw.push(...bundle)
    yield encodeEnvelope({ apiVersion: form.table.apiVersion, kind: 'Table' }, Buffer.concat(raw), 'application/json')
    return
  }
  yield* itemByItem(new ProtobufList(form, tools), list)
}

async function* itemByItem(protobuf: ProtobufList, { items, metadata }: ListDocument): AsyncGenerator<Buffer> {
  const held = new PieceBuffer()
  const later: MeasuredItem[] = []
  let total = 0
  for await (const batch of items) {
    for (const item of batch) {
      const isHeld = later.length === 0 && total <= protobuf.heldBytes && protobuf.knownLength(item) === undefined
      let length = protobuf.knownLength(item)
      if (length === undefined) {
        const bytes = protobuf.encodedElsewhere(item) ?? protobuf.encoded(item)
        length = protobuf.measured(item, Buffer.isBuffer(bytes) ? bytes : await bytes, isHeld ? held : undefined)
      }
      if (!isHeld) later.push({ item, length })
      total += length
    }
  }
  yield protobuf.head(metadata, total)
  yield* held.finish()
  yield* encodedItems(protobuf, later)
  yield Buffer.from(ENVELOPE_TAIL)
}

interface MeasuredItem {
  readonly item: ListItem
  readonly length: number
}

/** One buffer is used again for all pieces: new buffers would cost as much as encoding. */
async function* encodedItems(protobuf: ProtobufList, items: readonly MeasuredItem[]): AsyncGenerator<Buffer> {
  const piece = Buffer.allocUnsafeSlow(PIECE_BYTES)
  let used = 0
  for (const { item, length } of items) {
    if (used + length > PIECE_BYTES && used > 0) {
      yield piece.subarray(0, used)
      used = 0
    }
    if (length > PIECE_BYTES) yield (await protobuf.encodedElsewhere(item)) ?? Buffer.from(protobuf.encoded(item))
    else used += protobuf.encoded(item).copy(piece, used)
  }
  if (used > 0) yield piece.subarray(0, used)
}

type ObjectsForm = Exclude<ListForm, { readonly kind: 'table' }>

/** Encodes the items of one list. */
class ProtobufList {
  readonly heldBytes: number
  readonly #form: ObjectsForm
  readonly #tools: EncodingTools
  readonly #kind: KindSchema
  readonly #item: ObjectShape
  readonly #number: number

  constructor(form: ObjectsForm, tools: EncodingTools) {
    this.heldBytes = tools.heldBytes ?? HELD_BYTES
    this.#form = form
    this.#tools = tools
    this.#kind = listKindOf(form, tools.schemas)
    const items = this.#kind.shape.wire?.at(-1)
    if (items === undefined || items.type === 'inline' || items.field.shape.kind !== 'list') throw notAList(form)
    const { item } = items.field.shape
    if (item.kind !== 'object') throw notAList(form)
    this.#item = item
    this.#number = items.number
  }

  head(metadata: ListMetadata, length: number): Buffer {
    const names = this.#form.kind === 'objects' ? this.#form.type : { ...this.#form, kind: 'PartialObjectMetadataList' }
    const list: ValueMap = {
      kind: names.kind,
      apiVersion: names.apiVersion,
      metadata: givenMembers(metadata),
    }
    return encodeListHead(this.#kind, list, length)
  }

  /** Remembers the length of the item, and adds its bytes to `held`. Returns the length. */
  measured(item: ListItem, bytes: Buffer, held: PieceBuffer | undefined): number {
    const { length } = bytes
    if ('measured' in item && this.#form.kind === 'objects') item.measured = { shape: this.#item, length }
    held?.addCopy(bytes)
    return length
  }

  /** The length of the item. Undefined: the item was not encoded before. */
  knownLength({ measured }: ListItem): number | undefined {
    return measured !== undefined && measured.shape === this.#item ? measured.length : undefined
  }

  /** The encoded item. It is a view of the encoder's memory: use it before the next call. */
  encoded(item: ListItem): Buffer {
    return this.#tools.transcoder.field(this.#number, this.#item, this.#json(item))
  }

  /** The item, as a worker thread encodes it. Undefined: the item is not large, or no worker thread is available. */
  encodedElsewhere(item: ListItem): Promise<Buffer> | undefined {
    const list = { key: 'items', number: this.#number, isTyped: false } as const
    const kind = itemKindOf(this.#form, this.#tools.schemas)
    return writtenElsewhere(this.#tools, this.#json(item), { encoding: 'protobuf', kind, list })
  }

  #json(item: ListItem): Buffer {
    return this.#form.kind === 'objects' ? item.bytes : partialMetadata(item, this.#form.apiVersion)
  }
}

/** The kind of the list. Throws if the table does not have this kind. */
export function listKindOf(form: ObjectsForm, schemas: SchemaTable): KindSchema {
  const kind = form.kind === 'objects' ? form.type.kind : 'PartialObjectMetadataList'
  const found = kindIn(form, schemas, kind)
  if (found === undefined) throw notAList(form)
  return found
}

export function itemKindOf(form: ObjectsForm, schemas: SchemaTable): KindSchema | undefined {
  return kindIn(form, schemas, form.kind === 'objects' ? form.type.itemKind : 'PartialObjectMetadata')
}

function kindIn(form: ObjectsForm, schemas: SchemaTable, kind: string): KindSchema | undefined {
  const version =
    form.kind === 'objects' ? parseGroupVersion(form.type.apiVersion) : { group: 'meta.k8s.io', version: 'v1' }
  return version === undefined ? undefined : schemas.kind({ ...version, kind })
}

function notAList(form: ListForm): InvariantError {
  return new InvariantError(`${form.kind === 'objects' ? form.type.kind : form.kind} has no list in protobuf`)
}
