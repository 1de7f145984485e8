// Protobuf in pieces: a list as its head, its items one by one and its tail; watch events as frames. The pieces of a list, put
// behind each other, are the bytes that encoding it whole gives.
import type { ValueMap } from '../api/value.ts'
import type { KindSchema, WireMember } from '../schema/table.ts'
import { ProtobufEncoder } from './protobuf-encode.ts'
import { ProtobufError } from '../wire/protobuf-error.ts'
import { ENVELOPE_TAIL, typeNamesOf, writeEnvelopeHead } from './protobuf.ts'

/** What follows the last item of a list. */
export const LIST_TAIL: Uint8Array = ENVELOPE_TAIL

/**
 * Everything of a list that stands before its items. The envelope says how long they are together, so their encodings have
 * to be made (or at least measured) before.
 */
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

/** The bytes of the length before a frame. WebSocket messages do without it. */
const FRAME_HEAD_SIZE = 4

/** A watch event as a frame: its length, and a bare event around the object's own envelope. */
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
