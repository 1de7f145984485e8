// The API's protobuf envelope: four magic bytes, and a message with the name of the kind and the object. Also the heads of lists, and the
// frames of watch events.
import { formatGroupVersion, type ApiObject } from '../api/object.ts'
import type { ValueMap } from '../api/value.ts'
import type { KindSchema, ObjectShape, WireMember } from '../schema/table.ts'
import { decodeMessage } from './protobuf-decode.ts'
import { ProtobufEncoder } from './protobuf-encode.ts'
import { ProtobufError } from '../wire/protobuf-error.ts'
import { ProtobufReader } from '../wire/protobuf-reader.ts'

const PREFIX = Buffer.of(0x6b, 0x38, 0x73, 0x00)
/** The fields 3 and 4 of the envelope, which the reference writes even if they are empty. They follow the last item of a list. */
export const ENVELOPE_TAIL: Uint8Array = Buffer.of(0x1a, 0x00, 0x22, 0x00)

export interface TypeNames {
  readonly apiVersion: string
  readonly kind: string
}

/** The type in an envelope, and the bytes of the object, which are a view of the input. */
interface Envelope extends TypeNames {
  readonly raw: Buffer
  /** The media type of the bytes. Empty: protobuf. */
  readonly contentType: string
  /** The encoding of the bytes. Empty: the bytes are not encoded. */
  readonly contentEncoding: string
}

/** An object of a kind in its envelope. Throws `ProtobufError` if a value does not fit the kind. */
export function encodeProtobuf(kind: KindSchema, object: ValueMap): Buffer {
  const encoder = new ProtobufEncoder()
  encoder.bytes(ENVELOPE_TAIL)
  const end = encoder.length
  encoder.object(kind.shape, object)
  writeEnvelopeHead(encoder, typeNamesOf(kind, object), encoder.length - end)
  return encoder.finish()
}

/** The message of an object without an envelope. */
export function encodeRaw(shape: ObjectShape, object: ValueMap): Buffer {
  const encoder = new ProtobufEncoder()
  encoder.object(shape, object)
  return encoder.finish()
}

/** Bytes of any content type in an envelope. A Table is sent as JSON in an envelope (D10). */
export function encodeEnvelope(names: TypeNames, raw: Uint8Array, contentType: string): Buffer {
  const encoder = new ProtobufEncoder(raw.length + 256)
  encoder.textField(4, contentType)
  encoder.textField(3, '')
  encoder.bytes(raw)
  writeEnvelopeHead(encoder, names, raw.length)
  return encoder.finish()
}

/** Whether bytes begin like an envelope. */
export function isProtobuf(bytes: Uint8Array): boolean {
  return bytes.length >= PREFIX.length && PREFIX.equals(bytes.subarray(0, PREFIX.length))
}

/** Reads an envelope, but not its content. Throws `ProtobufError` with the reference's message. */
export function decodeProtobuf(bytes: Uint8Array): Envelope {
  if (bytes.length === 0) throw new ProtobufError('empty data')
  if (!isProtobuf(bytes)) {
    const expected = [...PREFIX].join(' ')
    throw new ProtobufError(`provided data does not appear to be a protobuf message, expected prefix [${expected}]`)
  }
  if (bytes.length === PREFIX.length) throw new ProtobufError('empty body')
  const reader = new ProtobufReader(bytes.subarray(PREFIX.length))
  let envelope: Envelope = { apiVersion: '', kind: '', raw: Buffer.alloc(0), contentType: '', contentEncoding: '' }
  while (reader.hasMore) {
    const tag = reader.tag()
    switch (tag) {
      case 0x0a: {
        const outer = reader.enter()
        envelope = { ...envelope, ...readTypeNames(reader) }
        reader.leave(outer)
        break
      }
      case 0x12:
        envelope = { ...envelope, raw: reader.bytes() }
        break
      case 0x1a:
        envelope = { ...envelope, contentEncoding: reader.text() }
        break
      case 0x22:
        envelope = { ...envelope, contentType: reader.text() }
        break
      default:
        if (tag >>> 3 <= 4)
          throw new ProtobufError(`proto: wrong wireType = ${tag & 7} for field ${ENVELOPE[tag >>> 3]}`)
        reader.skip(tag)
    }
  }
  return envelope
}

/** The fields of the envelope as messages name them. */
const ENVELOPE: readonly string[] = ['', 'TypeMeta', 'Raw', 'ContentEncoding', 'ContentType']

/** The object of a kind, from its message without an envelope. `kind` and `apiVersion` are those of the kind. */
export function decodeRaw(kind: KindSchema, raw: Uint8Array, maxValues = Number.POSITIVE_INFINITY): ApiObject {
  const object = decodeMessage(raw, kind.shape, maxValues)
  if (!kind.shape.typeMeta) return object as ApiObject
  return { kind: kind.kind, apiVersion: formatGroupVersion(kind), ...object } as ApiObject
}

function readTypeNames(reader: ProtobufReader): TypeNames {
  let [apiVersion, kind] = ['', '']
  while (reader.hasMore) {
    const tag = reader.tag()
    if (tag === 0x0a) apiVersion = reader.text()
    else if (tag === 0x12) kind = reader.text()
    else reader.skip(tag)
  }
  return { apiVersion, kind }
}

/** The names in the object itself, if it has a kind: they contain the brand, and discovery documents have no version. */
export function typeNamesOf(kind: KindSchema, object: ValueMap): TypeNames {
  if (!kind.shape.typeMeta) return { apiVersion: '', kind: '' }
  if (typeof object['kind'] !== 'string') return { apiVersion: formatGroupVersion(kind), kind: kind.kind }
  return { apiVersion: typeof object['apiVersion'] === 'string' ? object['apiVersion'] : '', kind: object['kind'] }
}

/** Writes everything before the `size` bytes of the object. */
export function writeEnvelopeHead(encoder: ProtobufEncoder, { apiVersion, kind }: TypeNames, size: number): void {
  encoder.varint(size)
  encoder.byte(0x12)
  const end = encoder.length
  encoder.textField(2, kind)
  encoder.textField(1, apiVersion)
  encoder.close(1, end)
  encoder.bytes(PREFIX)
}

/** The bytes of a list before its items. The envelope has the total length of the items, so they must be encoded or measured before. */
export function encodeListHead(kind: KindSchema, list: ValueMap, itemsLength: number): Buffer {
  const encoder = new ProtobufEncoder(512)
  encoder.objectWithout(kind.shape, itemsOf(kind), list)
  writeEnvelopeHead(encoder, typeNamesOf(kind, list), encoder.length + itemsLength)
  return encoder.finish()
}

function itemsOf(kind: KindSchema): WireMember {
  const last = kind.shape.wire?.at(-1)
  if (last === undefined || last.type === 'inline' || last.field.name !== 'items') {
    throw new ProtobufError(`${kind.kind} is not a list`)
  }
  return last
}

/** The number of bytes of the length before a frame. WebSocket messages do not have this length. */
const FRAME_HEAD_SIZE = 4

/** A watch event as a frame: its length, and an event without an envelope. The object in the event has its own envelope. */
export function encodeWatchFrame(type: string, object: Uint8Array): Buffer {
  const encoder = new ProtobufEncoder(object.length + 64)
  encoder.bytes(object)
  encoder.close(1, 0)
  encoder.close(2, 0)
  encoder.textField(1, type)
  const head = Buffer.allocUnsafe(FRAME_HEAD_SIZE)
  head.writeUInt32BE(encoder.length)
  encoder.bytes(head)
  return encoder.finish()
}
